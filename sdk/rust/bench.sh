#!/usr/bin/env bash
# Usage: bench.sh [blocking]
# Starts examples/bench.rs for tests/cmd/bench. Run setup.sh first. The first build compiles wasmtime once more.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --locked --quiet --target-dir target --release --features blocking --example bench
exec target/release/examples/bench "$@"
