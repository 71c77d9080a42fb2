#!/usr/bin/env bash
# Format, lint, types, reference (into build/reference). Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
.venv/bin/ruff format --check --quiet .
.venv/bin/ruff check --quiet .
.venv/bin/mypy .
.venv/bin/python -W error -m pdoc -o build/reference automatic_rostering automatic_rostering.redis_store
for script in ./*.sh; do bash -n "$script"; done
