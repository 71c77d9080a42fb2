#!/usr/bin/env bash
# Makes runtime/bun, and installs what bun.lock names into node_modules. Does nothing if both exist.
set -euo pipefail
cd "$(dirname "$0")"

oldest=1.4.0

# new_enough BUN
new_enough() {
	local version
	version=$("$1" --version 2>/dev/null) || return 1
	[ "$(printf '%s\n' "$oldest" "$version" | sort -V | head -n 1)" = "$oldest" ]
}

# Concurrent runs take turns.
exec 9<bun.lock
if command -v flock >/dev/null; then flock 9; fi

installed() { cmp -s <(cat bun.lock runtime/package-lock.json) node_modules/installed.lock; }
if installed && new_enough runtime/bun; then exit 0; fi
../../tests/setup/setup.sh bun
if own=$(command -v bun) && new_enough "$own"; then
	ln -sfn "$own" runtime/bun
elif command -v npm >/dev/null; then
	npm ci --prefix runtime --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	node runtime/node_modules/bun/install.js # installs the program for this machine
	ln -sfn node_modules/bun/bin/bun.exe runtime/bun
fi
if ! new_enough runtime/bun; then
	echo "$(command -v bun) is older than $oldest: install a newer one, or npm, which brings it" >&2
	exit 69
fi
runtime/bun install --frozen-lockfile --silent
# Last, so that an interrupted install does not count as complete.
cat bun.lock runtime/package-lock.json >node_modules/installed.lock
