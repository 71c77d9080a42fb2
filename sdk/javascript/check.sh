#!/usr/bin/env bash
# Checks format, lint and types, including those of the examples and the conformance adapter, that wrangler would deploy the
# Workers, and that the reference can be made. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
bin=$PWD/node_modules/.bin
others=(host-example/{node,deno,bun,workerd} tests/conformance/hosts/javascript)
"$bin/prettier" --config package.json --check --log-level warn . "${others[@]/#/../../}"
(cd ../.. && "$bin/eslint" --config sdk/javascript/eslint.config.js --max-warnings 0 sdk/javascript "${others[@]}")
"$bin/tsc"
"$bin/tsc" -p tsconfig.workerd.json
"$bin/typedoc" --emit none --logLevel Warn
"$bin/typedoc" --emit none --logLevel Warn --tsconfig tsconfig.workerd.json --entryPoints src/cloudflare.js
export WRANGLER_SEND_METRICS=false WRANGLER_HIDE_BANNER=true WRANGLER_LOG=warn WRANGLER_LOG_PATH=$PWD/build
for config in ../../host-example/workerd/wrangler*.jsonc; do
	"$bin/wrangler" deploy --dry-run --config "$config" --outdir "$PWD/build/worker"
done
for script in ./*.sh runtimes/*.sh runtimes/*/*.sh ../../host-example/{node,deno,bun,workerd}/run.sh; do bash -n "$script"; done
