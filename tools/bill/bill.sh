#!/usr/bin/env bash
# Usage: bill.sh bills|notices
# bills writes a bill of materials for the plugin and for each package in dist into dist/bills, by the CycloneDX tool of the
# package's ecosystem, and checks THIRD_PARTY_NOTICES.md, which notices writes. The same files give the same bytes. The
# tools stay in a cache folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD here=$PWD/tools/bill version=$(cat VERSION)
tools=${XDG_CACHE_HOME:-$HOME/.cache}/automatic-rostering-toolchain/bill
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$tools"

# licenses TEMPLATE PACKAGE: go-licenses warns of each page that it cannot reach; those are not used here.
licenses() {
	[ -x "$tools/go-licenses" ] || env -u GOFLAGS -u GOOS -u GOARCH GOBIN="$tools" go install github.com/google/go-licenses@v1.6.0
	"$tools/go-licenses" report --ignore automatic-rostering --template "$here/$1.tpl" "$2" 2>"$work/errors" ||
		{ cat "$work/errors" >&2; exit 1; }
}

# go_bill NAME PURL VERSION PACKAGE [LINE…]: of the modules that a package needs, and of lines "PURL VERSION LICENSE".
go_bill() {
	go list -deps -f '{{with .Module}}{{if not .Main}}pkg:golang/{{.Path}} {{.Version}}{{end}}{{end}}' "$4" | sort -u >"$work/modules"
	licenses licenses "$4" >"$work/licenses"
	echo automatic-rostering.example/rostering MIT >>"$work/licenses"
	for line in "${@:5}"; do
		echo "${line% *}" >>"$work/modules"
		awk '{ sub("^[^/]*/", ""); print $1, $3 }' <<<"$line" >>"$work/licenses"
	done
	env -u GOOS -u GOARCH -u GOFLAGS go run "$here/modules.go" "$2" "$3" "$work/modules" "$work/licenses" >"$root/dist/bills/$1.cdx.json"
}

# For what TinyGo alone compiles. Of archives in C, the linker may take musl's exit alone: notices.tpl knows no other.
as_plugin=(GOFLAGS=-tags=tinygo.wasm GOOS=wasip1 GOARCH=wasm)
tinygo_version() {
	local linked
	linked=$(grep -ohE '[^/ ]+\.a\([^)]*\)' build/rostering.wasm.map build/rostering-nowasi.wasm.map | sort -u)
	[[ -z $linked || $linked = 'libc.a(exit.o)' ]] || { echo "notices.tpl lacks what is linked: $linked" >&2; exit 1; }
	build/tinygo version | grep -o '^tinygo version 0\.41\.[0-9]*' | sed 's/.* //' || { echo "notices.tpl is for TinyGo 0.41" >&2; exit 1; }
}
notices() { (export "${as_plugin[@]}" && licenses notices ./plugin); }

bill_of_plugin() (
	tinygo=$(tinygo_version)
	go=$(build/tinygo version | sed 's/.*go version go\([0-9.]*\).*/\1/')
	export "${as_plugin[@]}"
	go_bill plugin pkg:generic/rostering-plugin "$version" ./plugin "pkg:golang/github.com/tinygo-org/tinygo v$tinygo BSD-3-Clause" \
		"pkg:golang/std v$go BSD-3-Clause" "pkg:generic/musl 1.2 MIT"
)

bill_of_go() {
	local folder
	for folder in sdk/go sdk/go/redisstore sandbox; do
		(cd "$folder" && go_bill "${folder##*/}" "pkg:golang/$(go list -m)" "v$version" .)
	done
}

bill_of_javascript() {
	[ -d "$tools/npm-6.0.1" ] || npm install --silent --no-audit --no-fund --prefix "$tools/npm-6.0.1" @cyclonedx/cyclonedx-npm@6.0.1
	(cd sdk/javascript && "$tools/npm-6.0.1/node_modules/.bin/cyclonedx-npm" --package-lock-only --omit dev --output-reproducible \
		--output-format JSON --output-file "$root/dist/bills/javascript.cdx.json")
}

python_tool() {
	[ -x "$tools/python-7.5.0/bin/cyclonedx-py" ] || { python3 -m venv "$tools/python-7.5.0" &&
		"$tools/python-7.5.0/bin/python" -m pip install --quiet --disable-pip-version-check cyclonedx-bom==7.5.0; }
}

# Of a folder with the wheel and what it requires, in the versions of the lock file.
bill_of_python() {
	python_tool
	python3 -m venv --without-pip "$work/venv"
	sed -n 's/^\([a-z0-9_.-]*==[^ ]*\).*/\1/p' sdk/python/requirements.txt >"$work/versions"
	"$tools/python-7.5.0/bin/python" -m pip --python "$work/venv/bin/python" install --quiet --disable-pip-version-check \
		--constraint "$work/versions" "dist/automatic_rostering-$version-py3-none-any.whl[redis]"
	"$tools/python-7.5.0/bin/cyclonedx-py" environment "$work/venv" --pyproject sdk/python/pyproject.toml --output-reproducible \
		--mc-type library --output-file dist/bills/python.cdx.json
}

bill_of_java() { find dist/maven -name '*-cyclonedx.json' -exec cp {} dist/bills/java.cdx.json \;; }

# cargo_bill NAME ARCHIVE FOLDER: of a crate in a package. The tool also writes where the crate is.
cargo_bill() {
	[ -x "$tools/bin/cargo-cyclonedx" ] || cargo install --quiet --locked --root "$tools" cargo-cyclonedx@0.5.9
	local at=$work/$1
	mkdir "$at"
	tar -xzf "$2" -C "$at" --strip-components 1
	[ -e "$at/$3/Cargo.lock" ] || cp "$at"/*/Cargo.lock "$at" # of the workspace; the tool looks for it above the crate
	SOURCE_DATE_EPOCH=1767225600 "$tools/bin/cargo-cyclonedx" cyclonedx --quiet --manifest-path "$at/$3/Cargo.toml" --all-features \
		--target all --format json --spec-version 1.5 --override-filename bill
	sed "s#$at#.#g" "$at/$3/bill.json" >"dist/bills/$1.cdx.json"
}
bill_of_rust() { cargo_bill rust "dist/automatic-rostering-$version.crate" .; }
bill_of_c() { cargo_bill c "dist/rostering-c-$version.tar.gz" c; }

bills() {
	rm -rf dist/bills
	mkdir dist/bills
	notices | diff THIRD_PARTY_NOTICES.md - || { echo "THIRD_PARTY_NOTICES.md is old: make notices" >&2; exit 1; }
	local of file
	for of in plugin:rostering.wasm go:go "javascript:automatic-rostering-$version.tgz" "python:automatic_rostering-$version-py3-none-any.whl" \
		java:maven "rust:automatic-rostering-$version.crate" "c:rostering-c-$version.tar.gz"; do
		[ ! -e "dist/${of#*:}" ] || "bill_of_${of%:*}"
	done
	python_tool
	"$tools/python-7.5.0/bin/python" "$here/validate.py" dist/bills/*
}

case ${1:-} in
bills) bills ;;
notices) tinygo_version >/dev/null; notices >"$work/notices"; for file in THIRD_PARTY_NOTICES.md sdk/*/THIRD_PARTY_NOTICES.md; do cp "$work/notices" "$file"; done ;;
*) echo "usage: bill.sh bills|notices" >&2; exit 64 ;;
esac
