# Sourced by tasks.sh of Rust and of C, in this folder.
# shellcheck shell=bash
# Panics name files of dependencies: not by the path on this machine.
export RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"

# run_cargo VERB ARGUMENTS: for this machine or, if TARGET is set, with cargo-zigbuild for that platform, such as
# aarch64-unknown-linux-gnu.2.17, which has the oldest glibc. musl has shared libraries only if programs are not static. Windows
# takes MinGW, as zig's DLL would export all of Rust's functions.
release=target/release
run_cargo() { cargo "$@"; }
if [ -n "${TARGET:-}" ]; then
	release=target/${TARGET%%.*}/release
	case $TARGET in
	*-windows-*) run_cargo() { cargo "$1" --target "$TARGET" "${@:2}"; } ;;
	*) run_cargo() { cargo-zigbuild "${1/#build/zigbuild}" --target "$TARGET" "${@:2}"; } ;;
	esac
	[[ $TARGET != *-musl* ]] || RUSTFLAGS+=" -Ctarget-feature=-crt-static"
fi
RUSTFLAGS+=" --print=native-static-libs"

# with_cargo VERB ARGUMENTS: with what all verbs share, so that the dependencies compile once. What a program needs that is linked with
# librostering.a goes from the compiler's notes, which cargo repeats, into a file.
with_cargo() {
	mkdir -p "$release"
	run_cargo "$1" --locked --release --target-dir target --all-features "${@:2}" 2>&1 |
		sed -e '/^note: link against the following native/d' -e '/^$/d' -e "/^note: native-static-libs/{s/.*libs: //w $release/librostering.libs
			d;}"
}
