#!/usr/bin/env bash
# Format, lint, types, and that wrangler would deploy the Worker. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
bin=node_modules/.bin
"$bin/prettier" --check --log-level warn .
"$bin/eslint" --max-warnings 0 .
"$bin/tsc"
"$bin/tsc" -p tsconfig.node.json
WRANGLER_SEND_METRICS=false WRANGLER_HIDE_BANNER=true WRANGLER_LOG=warn WRANGLER_LOG_PATH=.wrangler \
	"$bin/wrangler" deploy --dry-run
for script in ./*.sh; do bash -n "$script"; done
