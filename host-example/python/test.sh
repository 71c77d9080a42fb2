#!/usr/bin/env bash
# Tests against a service on loopback. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
.venv/bin/python -W error -m unittest discover -s tests -t .
