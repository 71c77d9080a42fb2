#!/usr/bin/env bash
# Format, lint, types, and that the reference can be made. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
bin=node_modules/.bin
"$bin/prettier" --check --log-level warn .
"$bin/eslint" --max-warnings 0 .
"$bin/tsc"
"$bin/tsc" -p tsconfig.cloudflare.json
"$bin/typedoc" --emit none --logLevel Warn
"$bin/typedoc" --emit none --logLevel Warn --tsconfig tsconfig.cloudflare.json --entryPoints rostering/cloudflare.js
for script in ./*.sh; do bash -n "$script"; done
