#!/usr/bin/env bash
# Checks the package file of package.sh: it has all files, and another run makes the same. Run setup.sh and package.sh first.
# tests/docs uses it as the quick start says.
set -euo pipefail
cd "$(dirname "$0")"
package=automatic-rostering-$(cat ../../VERSION)
file=$(realpath "../../dist/$package.crate")
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

fail() { echo "$*" >&2; exit 1; }

tar -xzf "$file" -C "$new"
for name in Cargo.lock LICENSE README.md THIRD_PARTY_NOTICES.md rostering-nowasi.wasm; do
	[ -s "$new/$package/$name" ] || fail "$package.crate lacks $name"
done
diff -r src "$new/$package/src"
cmp rostering-nowasi.wasm "$new/$package/rostering-nowasi.wasm"
DIST=$new ./package.sh
cmp "$new/$package.crate" "$file" || fail "$package.crate is another one now"
echo "Rust: the package of $(stat -c %s "$file") bytes is complete and reproducible"
