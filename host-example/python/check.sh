#!/usr/bin/env bash
# Format, lint, types. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
.venv/bin/ruff format --check --quiet .
.venv/bin/ruff check --quiet .
.venv/bin/mypy .
for script in ./*.sh; do bash -n "$script"; done
