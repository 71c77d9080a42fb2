#!/usr/bin/env bash
# Measures calls on Deno: see tests/bench.js. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")/../.."
export NO_PROXY=127.0.0.1 # Deno's fetch uses the proxy of the environment
exec runtimes/deno/deno run --no-check --allow-read --allow-env --allow-net=127.0.0.1 tests/bench.js
