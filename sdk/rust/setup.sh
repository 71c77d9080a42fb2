#!/usr/bin/env bash
# Builds everything into target: the example, the conformance adapter, the tests. Fast when nothing has changed; concurrent
# runs take turns.
set -euo pipefail
cd "$(dirname "$0")"

../../tests/setup/setup.sh rust
plugin=rostering/rostering-nowasi.wasm # goes into the library
cmp --quiet ../../dist/rostering-nowasi.wasm $plugin || cp ../../dist/rostering-nowasi.wasm $plugin
cargo build --locked --quiet --target-dir target --workspace --bins --examples --tests
