#!/usr/bin/env bash
# Uses the package file of package.sh as its users do, outside of the repository. Run setup.sh and package.sh first, and
# make build/sandbox in the top folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
"$root/tests/setup/setup.sh" rust-check
package=automatic-rostering-$(cat "$root/VERSION")
new=$(mktemp -d)
artefacts=()
trap 'rm -rf "$new" "${artefacts[@]}"' EXIT

fail() { echo "$*" >&2; exit 1; }

tar -xzf "$root/dist/$package.crate" -C "$new"
for file in LICENSE README.md THIRD_PARTY_NOTICES.md rostering-nowasi.wasm; do
	[ -s "$new/$package/$file" ] || fail "$package.crate lacks $file"
done
mkdir -p "$new/program/src"
cd "$new/program"
cp "$root/host-example/rust/src/bin/jobs.rs" src/main.rs
cat >Cargo.toml <<EOF
[package]
name = "package-user"
edition = "2024"

[lints]
rust.warnings = "deny"
clippy.all = { level = "deny", priority = -1 }
clippy.pedantic = { level = "deny", priority = -1 }

[dependencies]
automatic-rostering = { path = "../$package", features = ["blocking", "middleware", "redis", "stream"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
EOF

# Beside it, libraries without content that have the repository's dependencies. With the same features, profile and compiler,
# cargo takes what the repository's build has compiled of crates.io: to compile wasmtime anew would take minutes.
for manifest in "$here"/Cargo.toml "$root"/{host-example,tests/conformance/hosts}/rust/Cargo.toml; do
	for section in dependencies dev-dependencies; do
		others=$((${others:-0} + 1))
		other=$new/other-$others
		mkdir -p "$other/src"
		touch "$other/src/lib.rs"
		{
			printf '[package]\nname = "package-%s"\nedition = "2024"\n\n[dependencies]\n' "${other##*/}"
			sed -n "/^\[$section\]/,/^$/p" "$manifest" | grep -vE '^(\[|automatic-rostering)' || true
		} >"$other/Cargo.toml"
	done
done
cd "$new"
{
	echo "workspace = { members = ['program', 'other-*'], exclude = ['$package'], resolver = '3' }"
	sed -n '/^\[profile/,/^\[package\]/p' "$here/Cargo.toml" | grep -v '^\[package'
} >Cargo.toml
cp "$here/Cargo.lock" .

export CARGO_TARGET_DIR=$here/target CARGO_INCREMENTAL=0
RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo build --offline --quiet --message-format json-render-diagnostics >built
if grep -F '"fresh":false' built | grep -q 'registry+'; then fail "cargo has compiled crates of crates.io anew"; fi
artefacts=("$CARGO_TARGET_DIR"/debug/deps/{,lib}package_{user,other}* "$CARGO_TARGET_DIR"/debug/.fingerprint/package-{user,other}*)
artefacts+=("$CARGO_TARGET_DIR"/debug/libpackage_other*)
for hash in $(grep -F "$new" built | grep -oE '/libautomatic_rostering-[0-9a-f]+' | sed 's/.*-//' | sort -u); do
	artefacts+=("$CARGO_TARGET_DIR"/debug/{deps,.fingerprint}/*-"$hash"*)
done
mv "$CARGO_TARGET_DIR/debug/package-user" .
rm -f "$CARGO_TARGET_DIR/debug/package-user.d"

"$root/build/sandbox" ./package-user >shown 2>&1 || { cat shown; fail "the program failed"; }
grep -q '"jobs":\[{"id":"sandbox-job-1"' shown || { cat shown; fail "the program listed no jobs"; }
DIST=$new/again "$here/package.sh"
cmp "$new/again/$package.crate" "$root/dist/$package.crate" || fail "$package.crate is another one now"
echo "Rust: a package of $(stat -c %s "$root/dist/$package.crate") bytes works"
