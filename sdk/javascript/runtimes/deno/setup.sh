#!/usr/bin/env bash
# Makes runtime/deno, and installs what deno.lock names into node_modules. Does nothing if both exist.
set -euo pipefail
cd "$(dirname "$0")"

oldest=2.9.6 # 2.9.5 sends a request twice if the connection closes without an answer

# new_enough DENO
new_enough() {
	local version
	version=$("$1" --version 2>/dev/null | awk 'NR == 1 { print $2 }') || return 1
	[ "$(printf '%s\n' "$oldest" "$version" | sort -V | head -n 1)" = "$oldest" ]
}

# Concurrent runs take turns.
exec 9<deno.lock
if command -v flock >/dev/null; then flock 9; fi

installed() { cmp -s <(cat deno.lock runtime/package-lock.json) node_modules/installed.lock; }
if installed && new_enough runtime/deno; then exit 0; fi
../../tests/setup/setup.sh deno
if own=$(command -v deno) && new_enough "$own"; then
	ln -sfn "$own" runtime/deno
elif command -v npm >/dev/null; then
	quiet=(--prefix runtime --ignore-scripts --no-audit --no-fund --loglevel=error)
	npm ci "${quiet[@]}" >/dev/null
	# The lock file names one platform's package; the others have the same version.
	platform=@deno/$(node -p '`${process.platform}-${process.arch}${process.platform == "linux" ? "-glibc" : ""}`')
	[ -e "runtime/node_modules/$platform" ] || npm install "${quiet[@]}" --no-save --force "$platform@$oldest" >/dev/null
	ln -sfn "node_modules/$platform/deno" runtime/deno
fi
if ! new_enough runtime/deno; then
	echo "$(command -v deno) is older than $oldest: install a newer one, or npm, which brings it" >&2
	exit 69
fi
# Where all traffic goes through a proxy, the system may know its certificate.
export DENO_TLS_CA_STORE=${DENO_TLS_CA_STORE:-mozilla,system}
runtime/deno install --frozen --quiet
# Last, so that an interrupted install does not count as complete.
cat deno.lock runtime/package-lock.json >node_modules/installed.lock
