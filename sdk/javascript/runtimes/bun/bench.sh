#!/usr/bin/env bash
# Measures calls on Bun: see tests/bench.js. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")/../.."
export NO_PROXY=127.0.0.1 # Bun's fetch uses the proxy of the environment
exec runtimes/bun/bun --no-install tests/bench.js
