# Sourced by versions.sh and platforms.sh, with FILE: clones the last commit, and writes a table of what was proven there
# into FILE, between the marks of the script's name. CI=true makes what is unavailable a failure, as in make test.
# shellcheck shell=bash disable=SC2034
set -euo pipefail
file=$(realpath "$1") kind=$(basename "$0" .sh)
grep -q "^<!-- $kind: " "$file" && grep -q "^<!-- end of $kind -->" "$file" # the marks
cd "$(dirname "$0")/.."
tools=$PWD/build/$kind log=$PWD/build/$kind/log table=$PWD/build/$kind/table
mkdir -p "$tools"
: >"$table"
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone"
cd "$clone"
tools/setup.sh "$kind"
wanted=${ONLY:-${HOSTS:-}}
export HOSTS='' MAKEFLAGS=''
make -s build/sandbox build/truncated.wasm
for module in tests/rules/modules/*.wat; do make -s "build/$(basename "$module" .wat).wasm"; done

# row WHAT WITH RESULT
row() {
	echo "$1: $2: $3, after $SECONDS s"
	echo "| $1 | $2 | $3 |" >>"$table"
}

# prove WHAT WITH COMMAND...: a row for what ran.
prove() { proves passed "$@"; }

# proves RESULT WHAT WITH COMMAND...
proves() {
	if "${@:4}" >"$log" 2>&1; then
		row "$2" "$3" "$1"
	else
		tail -n 40 "$log"
		row "$2" "$3" failed
	fi
}

# get WHAT WITH COMMAND...: if that fails, a row says that the runtime is unavailable.
get() { "${@:3}" >"$log" 2>&1 || { tail -n 5 "$log"; row "$1" "$2" unavailable; false; }; }

# in_folder FOLDER COMMAND...
in_folder() (cd "$1" && "${@:2}")
rules() { in_folder tests env -u GOARCH HOSTS="$1" go test -count=1 -timeout 20m -exec "env GOARCH=${GOARCH:-}" -run 'TestLibraries' ./runner; }

# debian SUITE ARCHITECTURE PACKAGE,…: unpacks packages of Debian, and what they depend on, into $tools/SUITE/files. $sources are
# packages whose sources it gets, too.
debian() {
	local at=$tools/$1 from="http://deb.debian.org/debian $1 main"
	[ ! -e "$at/done" ] || return 0
	rm -rf "$at"
	mkdir -p "$at"
	mmdebstrap --quiet --mode=root --variant=extract --architectures="$2" --include="$3" \
		--extract-hook="cd '$at'; ${sources:+APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG apt-get source --download-only $sources}" \
		"$1" "$at/files" "deb $from" "deb-src $from" && touch "$at/done"
}

# The others put a runtime first on PATH, which tasks.sh, the tests and the adapters take.
on_node() (
	PATH=$1:$PATH
	in_folder sdk/javascript bash -c 'node --test tests/*.test.js' && rules node
)
on_python() (
	PATH=$(dirname "$1"):$PATH
	rm -rf sdk/python/{.venv,build}
	sdk/python/tasks.sh test && rules python
)
# A newer runtime runs what the machine's JDK has compiled.
on_java() { MAVEN_OPTS="-Djvm=$1" sdk/java/tasks.sh test && PATH=$(dirname "$1"):$PATH rules java; }
on_go() { in_folder . go test ./sdk/go && in_folder sdk/go/redisstore go test ./... && rules go; }
on_rust() { sdk/rust/tasks.sh test && rules rust; }

# prove_all NAME...: runs the functions of these names, or those of them that HOSTS or ONLY has, and writes the table, in which
# the lines of the others stay. Fails if a line does.
prove_all() {
	local name
	for name in "$@"; do
		[[ -z $wanted || ,$wanted, == *",$name,"* ]] || continue
		"${kind}_$name" || true
	done
	sed -E 's/^(\|[^|]*\|).*/\1/' "$table" >"$tools/done"
	{
		sed "/^<!-- $kind: /q" "$file"
		printf '\n| %s | with | result |\n| --- | --- | --- |\n' "$what"
		sed -n "/^<!-- $kind: /,/^<!-- end of $kind -->/{ /| result |/d; /^| [A-Za-z]/p }" "$file" | grep -vFf "$tools/done" || true
		cat "$table"
		echo
		sed -n "/^<!-- end of $kind -->/,\$p" "$file"
	} >"$tools/file"
	cp "$tools/file" "$file"
	! grep -qE "\| (failed${CI:+|unavailable}) \|$" "$table"
}
