#!/usr/bin/env bash
# Usage: bill.sh bills|notices
# bills writes a bill of materials for the plugin and for each package in dist into dist/bills, by
# the CycloneDX tool of the package's ecosystem, and checks THIRD_PARTY_NOTICES.md, which notices
# writes. The same files give the same bytes. The tools stay in a cache folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD version=$(cat VERSION)
tools=${XDG_CACHE_HOME:-$HOME/.cache}/automatic-rostering-toolchain/bill
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$tools"

# go_bill NAME mod|app FLAG…: of the modules that the package or the program in this folder needs.
go_bill() {
	local tool=$tools/gomod-1.10.0/cyclonedx-gomod
	[ -x "$tool" ] || env -u GOFLAGS -u GOOS -u GOARCH GOBIN="$(dirname "$tool")" go install \
		github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
	"$tool" "$2" -json -noserial -notimestamp -licenses -assert-licenses -short-purls "${@:3}" \
		-output "$root/dist/bills/$1.cdx.json" 2>"$work/errors" ||
		{ cat "$work/errors" >&2; exit 1; }
}

# For what TinyGo alone compiles.
as_plugin=(GOFLAGS=-tags=tinygo.wasm GOOS=wasip1 GOARCH=wasm)
# Nothing in C is linked: plugin/target.json names no archive.
notices() (
	section() {
		text=$(cat "$2")
		printf '\n## %s\n\n```text\n%s\n```\n' "$1" "$text"
	}
	printf '# Third-party notices\n\n%s\n' "The WebAssembly files of the plugin, and so every \
package that has one inside, contain code of \
these projects. \`make notices\` writes this file."
	env "${as_plugin[@]}" go list -deps -f \
		'{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./plugin |
		sort -u | while read -r path number folder; do section "$path $number" "$folder/LICENSE"; done
	section "TinyGo 0.41 (runtime)" "$(sed -n 's/^TINYGOROOT="\([^"]*\)".*/\1/p' build/tinygo)/LICENSE"
	section "Go (standard library)" "$(go env GOROOT)/LICENSE"
)

bill_of_plugin() { (export "${as_plugin[@]}" && go_bill plugin app -std -main plugin); }

bill_of_go() {
	go_bill go mod -type library
	(cd sdk/go/redisstore && go_bill redisstore mod -type library)
	(cd sandbox && go_bill sandbox app -main cmd/rostering-sandbox)
	(cd cli && go_bill cli app -main cmd/rostering)
}

bill_of_javascript() {
	npm sbom --prefix sdk/javascript --package-lock-only --omit dev --sbom-format cyclonedx \
		--sbom-type library >dist/bills/javascript.cdx.json
}

# Of a folder with the wheel and what it requires, in the versions of the lock file.
bill_of_python() {
	python3 -m venv --without-pip "$work/venv"
	sed -n 's/^\([a-z0-9_.-]*==[^ ]*\).*/\1/p' sdk/python/requirements.txt >"$work/versions"
	"$tools/python-7.5.0/bin/python" -m pip --python "$work/venv/bin/python" install --quiet \
		--disable-pip-version-check \
		--constraint "$work/versions" "dist/automatic_rostering-$version-py3-none-any.whl[redis]"
	"$tools/python-7.5.0/bin/cyclonedx-py" environment "$work/venv" \
		--pyproject sdk/python/pyproject.toml --output-reproducible \
		--mc-type library --output-file dist/bills/python.cdx.json
}

bill_of_java() { find dist/maven -name '*-cyclonedx.json' -exec cp {} dist/bills/java.cdx.json \;; }

# cargo_bill NAME MEMBERS: of the crate in sdk/NAME; in a copy, as the tool writes next to the
# manifests, with a workspace of what the crate needs, as others would add features of dependencies.
cargo_bill() {
	[ -x "$tools/bin/cargo-cyclonedx" ] ||
		cargo install --quiet --locked --root "$tools" cargo-cyclonedx@0.5.9
	git ls-files sdk/{Cargo.toml,Cargo.lock,rust,c} | tar -cf - -T - | tar -xf - -C "$work"
	sed "s#^members = .*#members = [$2]#" sdk/Cargo.toml >"$work/sdk/Cargo.toml"
	SOURCE_DATE_EPOCH=1767225600 "$tools/bin/cargo-cyclonedx" cyclonedx --quiet \
		--manifest-path "$work/sdk/rust/Cargo.toml" \
		--all-features --target all --format json --spec-version 1.5 --override-filename bill
	sed "s#$work/sdk/$1#.#g; s#$work/sdk#..#g" "$work/sdk/$1/bill.json" >"dist/bills/$1.cdx.json"
}
bill_of_rust() { cargo_bill rust '"rust"'; }
bill_of_c() { cargo_bill c '"c", "rust"'; }

bills() {
	rm -rf dist/bills
	mkdir dist/bills
	notices | diff THIRD_PARTY_NOTICES.md - ||
		{ echo "THIRD_PARTY_NOTICES.md is old: make notices" >&2; exit 1; }
	local of
	[ -x "$tools/python-7.5.0/bin/cyclonedx-py" ] || { python3 -m venv "$tools/python-7.5.0" &&
		"$tools/python-7.5.0/bin/python" -m pip install --quiet \
			--disable-pip-version-check cyclonedx-bom==7.5.0; }
	for of in plugin:rostering.wasm go:rostering-sandbox \
		"javascript:automatic-rostering-$version.tgz" \
		"python:automatic_rostering-$version-py3-none-any.whl" \
		java:maven "rust:automatic-rostering-$version.crate" "c:rostering-c-$version.tar.gz"; do
		[ ! -e "dist/${of#*:}" ] || "bill_of_${of%:*}"
	done
	"$tools/python-7.5.0/bin/python" tools/bill/finish.py "$version" dist/bills/*
}

case ${1:-} in
bills) bills ;;
notices) notices >"$work/notices"; for file in THIRD_PARTY_NOTICES.md \
	sdk/*/THIRD_PARTY_NOTICES.md; do cp "$work/notices" "$file"; done ;;
*) echo "usage: bill.sh bills|notices" >&2; exit 64 ;;
esac
