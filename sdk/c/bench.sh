#!/usr/bin/env bash
# Measures what a warm call costs, compared with libcurl alone. tests/cmd/bench starts this. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
make -s build/bench
exec build/bench
