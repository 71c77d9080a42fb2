#!/usr/bin/env bash
# Usage: build.sh
# Builds the plugins next to which the benchmarks measure ours into build/peers: the same two exports, in the idiom of each
# language. A peer that cannot be built is skipped, with a line that says why.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=$root/build/peers
cache=${XDG_CACHE_HOME:-$HOME/.cache}/automatic-rostering-toolchain
mkdir -p "$out"

have() { type -P "$1" >/dev/null; }

# peer NAME SOURCES: builds NAME.wasm by the function build_NAME, unless it is newer than its sources.
peer() {
	local name=$1 sources=$2 file=$out/$1.wasm
	[ -z "$(find "$here/$sources" "$here/build.sh" -newer "$file" 2>&1)" ] && return
	echo "building the peer $name" >&2
	rm -f "$file"
	"build_${name//-/_}" "$file" >"$out/$name.log" 2>&1 || true
	[ -s "$file" ] || echo "skipped: $name: $(tail -n 1 "$out/$name.log") (build/peers/$name.log)"
}

# The same flags for both: C's own floor is not the subject of a compiler's options.
c() {
	have clang-19 && have wasm-ld-19 || { echo "install clang-19 and lld-19"; return 1; }
	clang-19 --target=wasm32 -O2 -mbulk-memory -nostdlib -Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-all \
		"${@:2}" -o "$1" "$here/c/peer.c"
}
build_c() { c "$1"; }
build_c_prepared() { c "$1" -DPREPARED; }

build_go() {
	have go || { echo "install Go"; return 1; }
	cd "$here/go" && GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -ldflags='-s -w' -o "$1" .
}

# A released TinyGo has a libc; one that plugin/toolchain.sh made links Debian's.
build_tinygo() {
	local target=wasip1 tinygo=$root/build/tinygo archives libs=
	[ -x "$tinygo" ] || { echo "make build makes TinyGo"; return 1; }
	if ! grep -q '"libc"' "$root/build/target.json"; then
		archives=$(grep -o '"/[^"]*\.a"' "$root/build/target.json")
		for archive in $archives; do libs+=", $archive"; done
		target=$out/wasip1.json
		grep -vE '"(libc|rtlib)"|gc_boehm' "$("$tinygo" env TINYGOROOT)/targets/wasip1.json" |
			sed -e "s#\"--no-demangle\"#&$libs#" -e 's#\(asm_tinygowasm.S"\),#\1#' >"$target"
	fi
	cd "$here/go" && "$tinygo" build -target "$target" -buildmode=c-shared -no-debug -o "$1" .
}

# Rust's toolchain may lack the standard library of this target. Debian's rustc-web has its source, and builds it.
build_rust() {
	have cargo || { echo "install Rust"; return 1; }
	local debian=$cache/rust-web flags=()
	if [ ! -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ]; then
		have wasm-ld-19 || { echo "rustup target add wasm32-unknown-unknown"; return 1; }
		[ -d "$debian" ] || debian_rust "$debian" || { echo "rustup target add wasm32-unknown-unknown, or Debian's rustc-web"; return 1; }
		printf '#!/bin/sh\nLD_LIBRARY_PATH="%s/usr/lib/x86_64-linux-gnu" exec "%s/usr/bin/rustc" "$@"\n' "$debian" "$debian" >"$out/rustc"
		chmod +x "$out/rustc"
		export RUSTC=$out/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19
		flags=(-Z "build-std=std,panic_abort")
	fi
	cd "$here/rust" && cargo build --locked --release --target wasm32-unknown-unknown --target-dir "$out/rust-target" "${flags[@]}" &&
		wasm-opt -Oz --enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int --enable-sign-ext \
			--enable-reference-types --enable-multivalue "$out/rust-target/wasm32-unknown-unknown/release/peer.wasm" -o "$1"
}

# debian_rust DIR: unpacks Debian's packages there, without installing them next to rustup's.
debian_rust() {
	local work version package
	work=$(mktemp -d "$out/rust-web.XXXXXX")
	version=$(apt-cache show rustc-web | sed -n 's/^Version: \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
	(cd "$work" && apt-get download rustc-web rust-web-src libstd-rust-web-dev "libstd-rust-web-$version" &&
		apt-get download "$(dpkg-deb -f libstd-rust-web-[0-9]*.deb Depends | grep -o 'libllvm[0-9]*')" &&
		for package in *.deb; do dpkg-deb -x "$package" root || exit 1; done) &&
		mkdir -p "$cache" && mv "$work/root" "$1"
	rm -rf "$work"
	[ -d "$1" ]
}

build_assemblyscript() {
	have npm || { echo "install Node with npm"; return 1; }
	local work=$out/assemblyscript
	mkdir -p "$work" && cp "$here"/assemblyscript/* "$work" && cd "$work" &&
		npm install --no-audit --no-fund --no-package-lock && node_modules/.bin/asc index.ts -O3 --use abort=index/abortWith -o "$1"
}

# Not built: the core of another company's SDK, as its Go module has it. Of it, opening alone is measured.
build_1password() {
	have go || { echo "install Go"; return 1; }
	local module
	module=$(cd / && go mod download -json github.com/1password/onepassword-sdk-go@v0.4.0 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	[ -n "$module" ] || { echo "the Go module proxy did not give it"; return 1; }
	install -m 644 "$module/internal/wasm/core.wasm" "$1"
}

peer c c
peer c-prepared c
peer tinygo go
peer go go
peer rust rust
peer assemblyscript assemblyscript
peer 1password build.sh
