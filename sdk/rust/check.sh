#!/usr/bin/env bash
# Format, clippy, rustdoc. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"

../../tests/setup/setup.sh rust-check
cargo fmt --all --check
# Like cargo clippy and cargo doc, but reusing the build of setup.sh: those would check wasmtime anew, which takes a minute.
build=(cargo build --locked --quiet --target-dir target --workspace --all-features --bins --test behavior --examples)
if ! found=$(RUSTC_WORKSPACE_WRAPPER=$PWD/lint.sh "${build[@]}" 2>&1) || [ -n "$found" ]; then
	echo "$found" >&2
	exit 1
fi
for script in ./*.sh ../../host-example/rust/*.sh; do bash -n "$script"; done
