#!/usr/bin/env bash
# Usage: run.sh PROGRAM [ARGUMENT...]
# Builds a program of this folder and runs it in the current folder, with ROSTERING_* from the environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
export ROSTERING_WASM=${ROSTERING_WASM:-$here/../../dist/rostering.wasm}
# go run builds into its cache, which several runs at once can share. The second go run prints the path of the program
# instead of running it, so that exec can replace this process by the program.
go -C "$here" run -exec true "./$program"
exec "$(go -C "$here" run -exec echo "./$program")" "$@"
