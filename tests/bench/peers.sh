#!/usr/bin/env bash
# Usage: peers.sh
# Builds the peers of the plugin into build/peers, for the bench.
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
