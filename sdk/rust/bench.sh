#!/usr/bin/env bash
# Usage: bench.sh [build | blocking]
# Starts examples/bench.rs for tests/cmd/bench, or builds it only. Run setup.sh first. The first build compiles wasmtime
# once more.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --locked --quiet --target-dir target --release --features blocking --example bench
[ "${1:-}" = build ] || exec target/release/examples/bench "$@"
