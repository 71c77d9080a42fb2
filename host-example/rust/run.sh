#!/usr/bin/env bash
# Usage: run.sh jobs|minimal|service|fleet
# Runs a program with the ROSTERING_* variables, as sdk/rust/setup.sh built it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$1
shift
export ROSTERING_WASM=${ROSTERING_WASM:-$root/dist/rostering.wasm} # for minimal
exec "$root/sdk/rust/target/debug/$program" "$@"
