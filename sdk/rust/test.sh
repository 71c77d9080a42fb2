#!/usr/bin/env bash
# Tests against a service on loopback. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
# For the tests' addresses that are not loopback to the plugin, but on this machine. To reqwest, * names no IP addresses.
export NO_PROXY='*,0.0.0.0/0,::/0'
test=(cargo test --locked --quiet --target-dir target --workspace --all-features)
"${test[@]}" --test behavior
"${test[@]}" --doc
