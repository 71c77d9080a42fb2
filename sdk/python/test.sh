#!/usr/bin/env bash
# Tests against the sandbox. Run setup.sh and make build/sandbox first.
set -euo pipefail
cd "$(dirname "$0")"
.venv/bin/python -W error -m unittest discover -s tests -t .
