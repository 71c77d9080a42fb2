#!/usr/bin/env bash
# Measures calls on Node: see tests/bench.js. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec node --disable-warning=ExperimentalWarning tests/bench.js
