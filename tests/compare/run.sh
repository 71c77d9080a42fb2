#!/usr/bin/env bash
# Usage: run.sh
# Installs other OAuth clients into build/compare, and compares them with the plugin's library for Node, which make packages
# has put into dist.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
to=$root/build/compare
mkdir -p "$to"
cp "$here"/* "$to"
cd "$to"
[ -d venv ] || python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
npm install --silent --no-audit --no-fund
npm install --silent --no-audit --no-fund --no-save "$root"/dist/automatic-rostering-*.tgz
cd "$root/tests"
go run ./cmd/compare "$to" "$root/docs/compare.md"
