#!/usr/bin/env bash
# Makes dist/rostering-c-VERSION.tar.gz, the source, and dist/rostering-c-VERSION-linux-ARCH.tar.gz, which is built from
# it. Both are the same byte for byte wherever and whenever this runs. An argument names a folder in place of
# dist. Run setup.sh and make build (in the top folder) first.
set -euo pipefail
cd "$(dirname "$0")"
umask 022
root=$(cd ../.. && pwd)
dist=${1:-$root/dist}
name=rostering-c-$(cat "$root/VERSION")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

pack() {
	chmod -R u=rwX,go=rX "$stage/$1"
	tar --sort=name --mtime=@1767225600 --owner=0 --group=0 --numeric-owner --format=gnu -C "$stage" -cf - "$1" |
		gzip -n >"$stage/$1.tar.gz"
}

extism/notices.py --check
source=$stage/$name
mkdir "$source"
cp -r Makefile README.md libextism.sh requirements.txt ./*.in include src extism "$root/host-example/c/jobs.c" \
	"$root/host-example/c/jobs.cpp" "$root/LICENSE" "$root/THIRD_PARTY_NOTICES.md" "$root/dist/rostering-nowasi.wasm" "$source"
pack "$name"

# Built from that source, which shows that it is complete; libextism has been fetched before.
cp -rp lib "$source"
binary=$name-linux-$(uname -m)
make -s -j2 -C "$source" install DESTDIR="$stage" PREFIX="/$binary"
pack "$binary"
mkdir -p "$dist"
mv "$stage/$name.tar.gz" "$stage/$binary.tar.gz" "$dist"
