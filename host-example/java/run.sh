#!/usr/bin/env bash
# Usage: run.sh minimal|jobs|service
# Runs a program with the ROSTERING_* variables, as `sdk/java/tasks.sh setup` compiled it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
name=$1
shift
export ROSTERING_WASM=${ROSTERING_WASM:-$root/dist/rostering.wasm} # for Minimal
classes=$root/sdk/java/target
lib=lib
[ "$name" != minimal ] || lib=test-lib # which has the Extism SDK
exec java -cp "$classes/test-classes:$classes/classes:$classes/$lib/*" "demo.${name^}" "$@"
