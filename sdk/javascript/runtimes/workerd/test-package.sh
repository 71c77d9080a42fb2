#!/usr/bin/env bash
# Takes the package as its user does, in an empty folder: installs it, compiles package/index.ts, bundles it with
# wrangler, and runs it in workerd, against the sandbox (make build/sandbox). Run setup.sh and make packages first.
set -euo pipefail
cd "$(dirname "$0")"
source ../node/take-package.sh
tools=("$(pinned @cloudflare/workers-types)" "$(pinned typescript)" "$(pinned wrangler)")

cp package/* "$folder"
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error "$package" "${tools[@]}" >/dev/null
node_modules/.bin/tsc
WRANGLER_SEND_METRICS=false WRANGLER_HIDE_BANNER=true WRANGLER_LOG=warn WRANGLER_LOG_PATH=.wrangler \
	node_modules/.bin/wrangler deploy --dry-run --outdir out
"$root/build/sandbox" node run.js >jobs
grep -q sandbox-job-1 jobs
echo "the package $(basename "$package"): installed, compiled, bundled and run in workerd"
