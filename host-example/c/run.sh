#!/usr/bin/env bash
# Usage: run.sh PROGRAM [ARG…]
# Runs a program of this folder, with the ROSTERING_* variables set. `sdk/c/tasks.sh setup` builds them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
shift
if [ "$program" = minimal ] && [ $# = 0 ]; then set -- "$here/../../dist/rostering.wasm"; fi
exec "$here/build/$program" "$@"
