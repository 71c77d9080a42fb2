#!/usr/bin/env bash
# What a warm call costs, beside libcurl alone: tests/cmd/bench starts this. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
make -s build/bench
exec build/bench
