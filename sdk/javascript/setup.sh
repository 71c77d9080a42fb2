#!/usr/bin/env bash
# Installs what package-lock.json names into node_modules, and links that where the examples and the conformance adapter look
# for the package. Does nothing if it is up to date.
set -euo pipefail
cd "$(dirname "$0")"

# Concurrent runs take turns.
exec 9<package-lock.json
if command -v flock >/dev/null; then flock 9; fi

../../tests/setup/setup.sh node
if ! cmp -s package-lock.json node_modules/installed-lock.json; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	ln -s .. node_modules/automatic-rostering
	cp package-lock.json node_modules/installed-lock.json # last, so that an interrupted install does not count
fi
for folder in ../../host-example/{node,deno,bun,workerd} ../../tests/conformance/hosts/javascript; do
	[ -L "$folder/node_modules" ] || ln -sr node_modules "$folder/node_modules"
done
