#!/usr/bin/env bash
# Installs what package-lock.json names into node_modules. Does nothing if it is up to date.
set -euo pipefail
cd "$(dirname "$0")"

# Concurrent runs take turns.
exec 9<package-lock.json
if command -v flock >/dev/null; then flock 9; fi

../../tests/setup/setup.sh cloudflare-worker
if cmp -s package-lock.json node_modules/installed-lock.json; then exit 0; fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
if ! node_modules/.bin/workerd --version >/dev/null; then
	echo "workerd does not run here: it needs glibc 2.35 or newer on Linux, or macOS 13.5" >&2
	exit 69
fi
cp package-lock.json node_modules/installed-lock.json # last, so that an interrupted install does not count
