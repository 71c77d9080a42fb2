#!/usr/bin/env bash
# Usage: run.sh minimal|jobs|service|fleet
# Runs a program with the ROSTERING_* variables, as sdk/java/setup.sh compiled it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
name=$1
shift
export ROSTERING_WASM=${ROSTERING_WASM:-$root/dist/rostering.wasm} # for Minimal
exec java -cp "$root/sdk/java/target/test-classes:$root/sdk/java/target/classes:$root/sdk/java/target/lib/*" "demo.${name^}" "$@"
