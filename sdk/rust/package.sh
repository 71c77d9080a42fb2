#!/usr/bin/env bash
# Makes dist/automatic-rostering-VERSION.crate, byte for byte the same wherever and whenever this runs. DIST=folder puts it
# elsewhere. Run setup.sh first, and make build in the top folder.
set -euo pipefail
cd "$(dirname "$0")"
umask 022
root=$(cd ../.. && pwd)
dist=${DIST:-$root/dist}
crate=automatic-rostering-$(cat "$root/VERSION").crate

# A copy, since cargo would add the commit and whether files have changed.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -r Cargo.lock README.md src "$stage"
cp "$root/LICENSE" "$root/THIRD_PARTY_NOTICES.md" "$root/dist/rostering-nowasi.wasm" "$stage"
sed '/^members = /d' Cargo.toml >"$stage/Cargo.toml"
chmod -R u=rwX,go=rX "$stage"
# --no-verify: verifying would compile wasmtime, which takes minutes. The test of the quick start compiles the package.
cargo package --manifest-path "$stage/Cargo.toml" --target-dir "$stage/target" \
	--offline --quiet --no-verify
mkdir -p "$dist"
mv "$stage/target/package/$crate" "$dist"
