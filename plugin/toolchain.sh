#!/usr/bin/env bash
# Usage: toolchain.sh DIR
# Makes DIR/tinygo, a command that runs TinyGo 0.41, and DIR/target.json, the target
# for it. TinyGo is the one on PATH or, without one, made from its Go module against
# Debian's LLVM and kept in the user's cache folder. See RATIONALE.md.
set -euo pipefail

version=0.41.1
llvm=19
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/automatic-rostering-toolchain/tinygo-$version-llvm$llvm

say() { echo "toolchain: $*" >&2; }
fail() { say "$*"; exit 1; }

# command_for NAME ARGS...: writes DIR/tinygo.
command_for() {
	printf '#!/bin/sh\n%s exec "%s" "$@"\n' "$2" "$1" >"$dir/tinygo"
	chmod +x "$dir/tinygo"
}

# A released TinyGo brings its own libc and compiler-rt.
use_released() {
	local found
	found=$(tinygo version)
	case $found in
	"tinygo version 0.41."*) ;;
	*) fail "$(command -v tinygo) is '$found', but 0.41.x is needed: install that one, or take this one off PATH to have 0.41.1 built" ;;
	esac
	command_for "$(command -v tinygo)" ""
	cp "$here/target.json" "$dir/target.json"
}

# TinyGo made here has no libc of its own: the target links Debian's instead.
use_built() {
	[ -x "$cache/bin/tinygo" ] || build
	command_for "$cache/bin/tinygo" "TINYGOROOT='$cache/root'"
	local libc=/usr/lib/wasm32-wasi/libc.a
	local builtins=/usr/lib/llvm-$llvm/lib/clang/$llvm/lib/wasi/libclang_rt.builtins-wasm32.a
	sed -e '/"libc":/d' -e '/"rtlib":/d' -e "s#\"--no-entry\"#\"--no-entry\", \"$libc\", \"$builtins\"#" \
		"$here/target.json" >"$dir/target.json"
}

build() {
	say "building TinyGo $version from its Go module, once: one to two minutes; it is kept in $cache"
	local module work
	module=$(cd / && go mod download -json "github.com/tinygo-org/tinygo@v$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
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
"$here/../sdk/setup/setup.sh" plugin >&2 || exit 1
mkdir -p "$dir"
if command -v tinygo >/dev/null; then use_released; else use_built; fi
