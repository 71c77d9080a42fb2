#!/usr/bin/env bash
# Usage: setup.sh [SCRIPT]
# Gets libextism into lib, and builds the library, the adapter and the programs of host-example/c. For the scripts of the
# package, which build the library themselves, it only gets libextism.
set -euo pipefail
cd "$(dirname "$0")"

# Concurrent runs take turns.
exec 9<requirements.txt
if command -v flock >/dev/null; then flock 9; fi

../../tests/setup/setup.sh c
./libextism.sh
case ${1:-} in package.sh | test-package.sh) exit ;; esac
make -s all build/adapter
make -s install PREFIX="$PWD/build/installed"
make -s -C ../../host-example/c
