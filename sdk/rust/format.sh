#!/usr/bin/env bash
# Formats the code as check.sh requires. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
../../tests/setup/setup.sh rust-check
cargo fmt --all
