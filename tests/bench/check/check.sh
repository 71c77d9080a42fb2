#!/usr/bin/env bash
# Usage: check.sh [--update]
# Compares what the built plugin costs with baseline.tsv: see check.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
venv=$root/build/bench-check
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
	python3 -c 'import ensurepip' 2>/dev/null || { echo "bench-check is skipped: it needs python3 with venv" >&2; exit 69; }
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
	cp "$here/requirements.txt" "$venv" # last: a broken installation does not count
fi
exec "$venv/bin/python" "$here/check.py" "$root/plugin" "$here/baseline.tsv" "$@"
