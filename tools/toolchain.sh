#!/usr/bin/env bash
# Makes build/tinygo, a command that runs TinyGo 0.41.1: made from its Go module against Debian's
# LLVM, and kept in the user's cache folder. A released TinyGo or another wasm-opt would give other
# bytes than those in the repository. See RATIONALE.md.
set -euo pipefail

version=0.41.1
llvm=19
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/automatic-rostering-toolchain/tinygo-$version-llvm$llvm

say() { echo "toolchain: $*" >&2; }
fail() { say "$*"; exit 1; }

build() {
	say "building TinyGo $version from its Go module, once: one to two minutes; it is kept in $cache"
	local module work
	module=$(cd / && go mod download -json "github.com/tinygo-org/tinygo@v$version" |
		sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')
	[ -d "$module" ] || fail "the Go module proxy did not give github.com/tinygo-org/tinygo@v$version"
	mkdir -p "$(dirname "$cache")"
	work=$(mktemp -d "$cache.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	cp -r "$module" "$work/root"
	chmod -R u+w "$work/root"
	mkdir -p "$work/root/src/net" # a submodule that the Go module lacks
	(cd "$work/root" && GOFLAGS=-mod=mod go build -trimpath -tags "llvm$llvm" -o "$work/bin/tinygo" .)
	rm -rf "$cache"
	mv "$work" "$cache"
	trap - EXIT
}

command -v go >/dev/null || fail "no Go on PATH: install Go 1.26 (https://go.dev/dl)"
tools/setup.sh plugin >&2 || exit 1
[ -x "$cache/bin/tinygo" ] || build
mkdir -p build
printf '#!/bin/sh\nTINYGOROOT="%s" exec "%s" "$@"\n' "$cache/root" "$cache/bin/tinygo" >build/tinygo
chmod +x build/tinygo
