#!/usr/bin/env bash
# Uses the package as a user does, in an empty folder: installs it, compiles the Workers of host-example with it, bundles
# jobs.ts with wrangler, and runs it in workerd, against the sandbox (make build/sandbox). Run setup.sh and make packages
# first.
set -euo pipefail
cd "$(dirname "$0")"
source ../../take-package.sh
tools=("$(pinned @cloudflare/workers-types)" "$(pinned typescript)" "$(pinned wrangler)" "$(pinned esbuild)")

cp "$root"/host-example/workerd/*.{ts,js,jsonc} "$folder"
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error "$package" "${tools[@]}" >/dev/null
node_modules/.bin/tsc --strict --exactOptionalPropertyTypes --noEmit --skipLibCheck --target es2024 --lib es2024 --module esnext \
	--moduleResolution bundler --types @cloudflare/workers-types ./*.ts
WRANGLER_SEND_METRICS=false WRANGLER_HIDE_BANNER=true WRANGLER_LOG=warn WRANGLER_LOG_PATH=.wrangler \
	node_modules/.bin/wrangler deploy --dry-run --outdir out
"$root/build/sandbox" node run.js jobs >jobs
grep -q sandbox-job-1 jobs
echo "the package $(basename "$package"): installed, compiled, bundled and run in workerd"
