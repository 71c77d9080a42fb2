#!/usr/bin/env bash
# Formats the code as check.sh wants it. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
.venv/bin/ruff format --quiet --config pyproject.toml . ../../tests/conformance/hosts/python ../../host-example/python
