#!/usr/bin/env bash
# Format, lint, types. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
run() { runtime/bun --bun "node_modules/.bin/$@"; }
run prettier --check --log-level warn .
run eslint --max-warnings 0 .
run tsc
for script in ./*.sh; do bash -n "$script"; done
