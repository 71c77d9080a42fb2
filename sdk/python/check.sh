#!/usr/bin/env bash
# Format, lint, types, reference (into build/reference). Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
adapter=../../tests/conformance/hosts/python programs=../../host-example/python
.venv/bin/ruff format --check --quiet --config pyproject.toml . $adapter $programs
.venv/bin/ruff check --quiet --config pyproject.toml . $adapter $programs
.venv/bin/mypy .
.venv/bin/mypy $adapter $programs
.venv/bin/python -W error -m pdoc -o build/reference automatic_rostering automatic_rostering.redis_store
for script in ./*.sh $programs/*.sh; do bash -n "$script"; done
