#!/usr/bin/env bash
# Tests against a service on loopback. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
# For URLs of this machine that are not loopback to the plugin. To reqwest, * does not match IP addresses.
export NO_PROXY='*,0.0.0.0/0,::/0'
test=(cargo test --locked --quiet --target-dir target --workspace --all-features)
"${test[@]}" --test behavior
"${test[@]}" --doc
