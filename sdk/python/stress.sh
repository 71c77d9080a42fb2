#!/usr/bin/env bash
# Stresses the library against the sandbox for STRESS_SECONDS (default: 60); tests/stress.py has the invariants. It prints
# its seed, which STRESS_SEED sets. Run setup.sh and make build/sandbox first.
set -euo pipefail
cd "$(dirname "$0")"
exec .venv/bin/python -X dev -W error -m tests.stress
