#!/usr/bin/env bash
# Usage: run.sh PROGRAM [ARGUMENT...]
# Builds a program of this folder and runs it in the current folder, with ROSTERING_* in the environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
export ROSTERING_WASM=${ROSTERING_WASM:-$here/../../dist/rostering.wasm}
# go run keeps what it builds in its cache, also if several of these run at once. Then, with echo in place of the program,
# it prints where, so that exec can give this process to the program.
go -C "$here" run -exec true "./$program"
exec "$(go -C "$here" run -exec echo "./$program")" "$@"
