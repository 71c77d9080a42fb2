#!/usr/bin/env bash
# Usage: program.sh NAME OLDEST PACKAGE GLOB
# Links the program of a runtime as NAME/NAME: the one on PATH if it is OLDEST or newer, otherwise that of npm's PACKAGE,
# which GLOB finds in node_modules.
set -euo pipefail
cd "$(dirname "$0")/$1"
name=$1 oldest=$2 package=$3 glob=$4

# new_enough PROGRAM
new_enough() {
	local version
	version=$("$1" --version 2>/dev/null | sed -n '1s/^[^0-9]*\([0-9.]*\).*/\1/p') || return 1
	[ -n "$version" ] && printf '%s\n' "$oldest" "$version" | sort -VC
}

# Concurrent runs take turns.
exec 9<setup.sh
if command -v flock >/dev/null; then flock 9; fi

if new_enough "./$name"; then exit 0; fi
if own=$(type -P "$name") && new_enough "$own"; then
	ln -sfn "$own" "$name"
	exit 0
fi
npm install --prefix . --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error "$package" >/dev/null
for program in node_modules/$glob; do
	if new_enough "$program"; then
		ln -sfn "$program" "$name"
		exit 0
	fi
done
echo "$name: install $oldest or newer; npm's $package does not run here" >&2
exit 69
