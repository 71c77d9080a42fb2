#!/usr/bin/env bash
# Starts the program with which make bench measures this library.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top/tests"
go build -o "$top/build/bench-go" ./cmd/bench/program
exec "$top/build/bench-go"
