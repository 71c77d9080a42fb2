#!/usr/bin/env bash
# Builds everything into target: the example, the conformance adapter, the tests. Fast when nothing has changed; concurrent
# runs take turns.
set -euo pipefail
cd "$(dirname "$0")"

needed=91 # wasmtime 43 needs Rust 1.91
minor=$(rustc --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\).*/\1/p') || true
if [ "${minor:-0}" -lt $needed ] || ! command -v cargo >/dev/null || ! command -v cc >/dev/null; then
	echo "Rust 1.$needed or newer and a C compiler are needed: rustup.rs, and apt-get install gcc libc6-dev" >&2
	exit 69
fi
plugin=rostering/rostering-nowasi.wasm # goes into the library
cmp --quiet ../../dist/rostering-nowasi.wasm $plugin || cp ../../dist/rostering-nowasi.wasm $plugin
cargo build --locked --quiet --target-dir target --workspace --bins --examples --tests
