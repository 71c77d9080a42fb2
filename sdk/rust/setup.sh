#!/usr/bin/env bash
# Usage: setup.sh [SCRIPT]
# Builds everything into target: the library, its tests, the programs of host-example/rust, the conformance adapter. Fast if
# nothing has changed; concurrent runs take turns. package.sh and test-package.sh need no build.
set -euo pipefail
cd "$(dirname "$0")"

../../tests/setup/setup.sh rust
plugin=rostering-nowasi.wasm # goes into the library
cmp --quiet ../../dist/$plugin $plugin || cp ../../dist/$plugin $plugin
[[ ${1:-} == *package.sh ]] || cargo build --locked --quiet --target-dir target --workspace --all-features --bins --test behavior
