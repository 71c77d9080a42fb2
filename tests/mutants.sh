#!/usr/bin/env bash
# Usage: mutants.sh [FLAGS]
# Measures what the unit tests and the scenarios notice of small changes in the core; see tests/cmd/mutants. The
# survivors go to build/mutants.txt.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p ../build
exec go run ./cmd/mutants "$@"
