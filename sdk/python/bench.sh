#!/usr/bin/env bash
# Measures the library's calls next to those of httpx alone; with the argument async, AsyncClient's. tests/bench.py has
# the protocol. Run setup.sh and make build (in the top folder) first, and set the ROSTERING_* variables.
set -euo pipefail
cd "$(dirname "$0")"
exec .venv/bin/python -m tests.bench "$@"
