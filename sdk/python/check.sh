#!/usr/bin/env bash
# Format, lint, types, reference (into build/reference). Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
adapter=../../tests/conformance/hosts/python programs=../../host-example/python
PATH=$PWD/.venv/bin:$PATH
ruff format --check --quiet --config pyproject.toml . $adapter $programs
ruff check --quiet --config pyproject.toml . $adapter $programs
mypy .
mypy $adapter $programs
python -W error -m pdoc -o build/reference automatic_rostering automatic_rostering.redis_store
for script in ./*.sh $programs/*.sh; do bash -n "$script"; done
