#!/usr/bin/env bash
# Usage: run.sh PROGRAM [ARGUMENT...]
# Runs jobs, minimal or service with the ROSTERING_* variables. Run `sdk/python/tasks.sh setup` first.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/../../sdk/python/.venv/bin/python" "$here/$1.py" "${@:2}"
