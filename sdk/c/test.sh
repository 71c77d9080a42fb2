#!/usr/bin/env bash
# The tests of the library, with gcc's address and undefined behavior sanitizers. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
make -s test
