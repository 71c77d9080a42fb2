#!/usr/bin/env bash
# Formats the code as check.sh requires. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
node_modules/.bin/prettier --config package.json --write --log-level warn . \
	../../host-example/{node,deno,bun,workerd} ../../tests/conformance/hosts/javascript
