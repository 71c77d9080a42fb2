#!/usr/bin/env bash
# Stresses the library against the sandbox for STRESS_SECONDS (default: 60); examples/stress has the invariants. It prints
# its seed, which STRESS_SEED sets. With debug assertions, but no sanitizer: the library has no unsafe code. Run setup.sh
# first, and make build/sandbox in the top folder.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --locked --quiet --target-dir target --workspace --all-features --example stress
exec target/debug/examples/stress
