#!/usr/bin/env bash
# Shows the plugin, with the ROSTERING_* variables set. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
exec runtime/deno run \
	--allow-read="../../dist,../node/rostering${ROSTERING_WASM:+,$ROSTERING_WASM}" \
	--allow-env='ROSTERING_*,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__' \
	--allow-net \
	main.ts
