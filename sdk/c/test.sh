#!/usr/bin/env bash
# Runs the tests of the library with gcc's address and undefined behavior sanitizers. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
make -s test
