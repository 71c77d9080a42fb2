#!/usr/bin/env bash
# Usage: run.sh
# Builds the peers into build/peers, makes ten rounds of the benchmarks, and prints their medians next to this plugin's.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
peers=$here/../../build/peers
mkdir -p "$peers"
features=(--enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int --enable-sign-ext
	--enable-reference-types --enable-multivalue)

clang-19 --target=wasm32 -O2 -mbulk-memory -nostdlib -Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-all \
	-o "$peers/c.wasm" "$here/c/peer.c"
if cargo build --quiet --locked --release --target wasm32-unknown-unknown --target-dir "$peers/rust" \
	--manifest-path "$here/rust/Cargo.toml"; then
	wasm-opt -Oz "${features[@]}" "$peers/rust/wasm32-unknown-unknown/release/peer.wasm" -o "$peers/rust.wasm"
else
	rm -f "$peers/rust.wasm"
	echo "without Rust's peer: install Rust, and rustup target add wasm32-unknown-unknown" >&2
fi
wc -c "$here/../../plugin/rostering.wasm" "$peers"/*.wasm | grep -v total

cd "$here"
go test -c -o "$peers/bench.test" .
for _ in {1..10}; do "$peers/bench.test" -test.run '^$' -test.bench . -test.benchtime 2000x; done >"$peers/results"
go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da -row /host,/call -col /plugin "$peers/results"
