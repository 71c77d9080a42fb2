#!/usr/bin/env bash
# Makes the packages of the last commit in two clones, in folders whose names differ in length, and with another time zone,
# umask and cache of Go in the second one. All files in dist must have the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
a=$work/a b=$work/folder/with/a-longer-name

# packages FOLDER: leaves the log of make there.
packages() {
	git clone -q . "$1"
	MAKEFLAGS='' make -C "$1" packages >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
}
packages "$a"
mkdir -p "$(dirname "$b")"
(umask 077 && GOCACHE=$work/cache TZ=Asia/Kathmandu packages "$b")
diff -r "$a/dist" "$b/dist"
grep -h '^skipped' "$a.log" || true
echo "$(git rev-parse --short HEAD): $(find "$a/dist" -type f | wc -l) files, the same from both clones; SHA-256 of SHA256SUMS:"
sha256sum <"$a/dist/SHA256SUMS"
