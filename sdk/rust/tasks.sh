#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../../tools/tasks.sh"
source ./cargo.sh

adapter=../../tests/adapters/rust

# Builds the library, the C library, the programs of host-example/rust, and the tests: with what those need, dependencies have
# other features, and would be compiled twice. Concurrent runs take turns.
setup() {
	../../tools/setup.sh rust
	with_cargo build --quiet --workspace --lib --bins --test behavior
}

# Checks the format, and runs clippy and rustdoc.
check() {
	../../tools/setup.sh rust-check
	cargo fmt --all --check
	rustfmt --edition 2024 --config-path . --check "$adapter"/src/*.rs
	local flags=(--locked --quiet --release --target-dir target --all-features)
	cargo clippy "${flags[@]}" --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc "${flags[@]}" --no-deps
	adapter clippy -- -D warnings
}

format() {
	../../tools/setup.sh rust-check
	cargo fmt --all
	rustfmt --edition 2024 --config-path . "$adapter"/src/*.rs
}

# Tests against a service on loopback.
test() {
	setup
	# For URLs of this machine that are not loopback to the plugin. To reqwest, * does not match IP addresses.
	export NO_PROXY='*,0.0.0.0/0,::/0'
	with_cargo test --quiet --workspace --test behavior
	with_cargo test --quiet --workspace --doc
}

# package [FOLDER]: makes automatic-rostering-VERSION.crate in dist or FOLDER, byte for byte the same wherever and whenever
# this runs. The test of the quick start compiles it.
package() (
	umask 022
	dist=${1:-$root/dist}
	# A copy, since cargo would add the commit and whether files have changed.
	stage=$new/stage
	mkdir "$stage"
	cp -r Cargo.lock README.md LICENSE THIRD_PARTY_NOTICES.md src rostering-nowasi.wasm "$stage"
	sed '/^members = /d' Cargo.toml >"$stage/Cargo.toml"
	chmod -R u=rwX,go=rX "$stage"
	cargo package --manifest-path "$stage/Cargo.toml" --target-dir "$stage/target" --offline --quiet --no-verify
	mkdir -p "$dist"
	mv "$stage/target/package/automatic-rostering-$version.crate" "$dist"
)

# Checks that the package has all files.
test_package() (
	package=automatic-rostering-$version
	file=../../dist/$package.crate
	tar -xzf "$file" -C "$new"
	for name in Cargo.lock LICENSE README.md THIRD_PARTY_NOTICES.md; do
		[ -s "$new/$package/$name" ] || fail "$package.crate lacks $name"
	done
	diff -r src "$new/$package/src"
	cmp rostering-nowasi.wasm "$new/$package/rostering-nowasi.wasm"
)

# adapter [VERB ARGUMENTS]: builds the suite's adapter as a user does: with the package, unpacked, and the lock file in it.
adapter() {
	local crate=target/crate
	package target
	if ! cmp -s target/*.crate $crate/package; then
		rm -rf $crate
		mkdir $crate
		tar -xmf target/*.crate --strip-components 1 -C $crate
		cp $crate/Cargo.lock "$adapter"
		mv target/*.crate $crate/package
	fi
	run_cargo "${1:-build}" --quiet --release --target-dir target \
		--manifest-path "$adapter/Cargo.toml" "${@:2}"
	[ -n "${1:-}" ] || ln -f "$release/rostering-adapter" target/rostering-adapter
}

prepare() { ../../tools/setup.sh rust; }
run "$@"
