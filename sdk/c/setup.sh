#!/usr/bin/env bash
# Gets libextism into lib, and builds the library, the examples and the adapter.
set -euo pipefail
cd "$(dirname "$0")"

# Several runs at once take turns.
exec 9<requirements.txt
if command -v flock >/dev/null; then flock 9; fi

../../tests/setup/setup.sh c
./libextism.sh
make -s all programs
