#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../tasks.sh"
# Panics name files of dependencies: not by the path on this machine.
export RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --print=native-static-libs"

# run_cargo VERB ARGUMENTS: for this machine or, if TARGET is set, with cargo-zigbuild for that
# platform, such as aarch64-unknown-linux-gnu.2.17, which has the oldest glibc. musl has shared
# libraries only if programs are not static. Windows takes MinGW, as zig's DLL would export all of
# Rust's functions.
release=target/${TARGET:+${TARGET%%.*}/}release
run_cargo() {
	case ${TARGET:-} in
	'') cargo "$@" ;;
	*-windows-*) cargo "$1" --target "$TARGET" "${@:2}" ;;
	*) cargo-zigbuild "${1/#build/zigbuild}" --target "$TARGET" "${@:2}" ;;
	esac
}
[[ ${TARGET:-} != *-musl* ]] || RUSTFLAGS+=" -Ctarget-feature=-crt-static"

# with_cargo VERB ARGUMENTS: with what all verbs share, so that the dependencies compile once. What
# a program needs that is linked with librostering.a goes from the compiler's notes, which cargo
# repeats, into a file.
with_cargo() {
	mkdir -p "$release"
	run_cargo "$1" --locked --release --target-dir target --all-features "${@:2}" 2>&1 |
		sed -e '/^note: link against the following native/d' -e '/^$/d' \
			-e "/^note: native-static-libs/{s/.*libs: //w $release/librostering.libs" -e 'd;}'
}

# Builds the library, the C library, the programs of host-example/rust, the suite's adapter, and the
# tests: alone, each of them would have dependencies with other features, to be compiled again.
# Concurrent runs take turns.
setup() {
	../../tools/setup.sh rust
	with_cargo build --quiet --workspace --lib --bins --test behavior
}

# Checks the format, and runs clippy and rustdoc.
check() {
	../../tools/setup.sh rust rust-check
	cargo fmt --all --check
	local flags=(--locked --quiet --release --target-dir target --all-features)
	cargo clippy "${flags[@]}" --workspace --all-targets -- -D warnings
	# There are no examples. With them, cargo's choice of features is that of the line before, so that
	# dependencies are checked once.
	RUSTDOCFLAGS='-D warnings' cargo doc "${flags[@]}" --workspace --lib --examples --no-deps
}

format() {
	../../tools/setup.sh rust rust-check
	cargo fmt --all
}

# Tests against a service on loopback.
test() {
	# For URLs of this machine that are not loopback to the plugin. To reqwest, * does not match IP
	# addresses.
	export NO_PROXY='*,0.0.0.0/0,::/0'
	with_cargo test --quiet --workspace --test behavior
	with_cargo test --quiet --workspace --doc
}

# Makes automatic-rostering-VERSION.crate in dist, byte for byte the same wherever and whenever this
# runs.
package() (
	umask 022
	# A copy, since cargo would add the commit and whether files have changed.
	stage=$new/stage
	mkdir "$stage"
	cp -r ../Cargo.lock README.md LICENSE THIRD_PARTY_NOTICES.md src rostering-core.wasm "$stage"
	sed '/^members = /d' ../Cargo.toml | cat Cargo.toml - >"$stage/Cargo.toml"
	chmod -R u=rwX,go=rX "$stage"
	cargo package --manifest-path "$stage/Cargo.toml" --target-dir "$stage/target" --offline --quiet \
		--no-verify
	mkdir -p "$root/dist"
	mv "$stage/target/package/automatic-rostering-$version.crate" "$root/dist"
)

# Checks that the package has all files but cargo's, and no others. The quick start, a test of
# tests/docs, uses a package.
test_package() {
	local package=automatic-rostering-$version
	diff <(git ls-files LICENSE '*.md' '*.wasm' src | sed "s,^,$package/,") \
		<(tar -tzf "$root/dist/$package.crate" | grep -v '/Cargo\.' | LC_ALL=C sort)
}

# setup builds it.
adapter() { :; }

case ${1:-} in
check | format) "$1" ;; # which need no build
*) run "$@" ;;
esac
