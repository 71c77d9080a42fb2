#!/usr/bin/env bash
# The tests of the wrapper, with gcc's address and undefined behaviour sanitizers. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
make -s test
