#!/usr/bin/env bash
# Usage: tasks.sh VERB
# Exits with 69 if something is missing. Needs make build build/sandbox.
set -euo pipefail
cd "$(dirname "$0")"
top=$(cd ../.. && pwd)

setup() (
	command -v go >/dev/null || { echo "go is missing: https://go.dev/dl" >&2; exit 69; }
)

# The targets of the Makefile check, format and test all Go modules themselves.
by_make() (
	echo "make $1 does this for all Go modules"
)

# Writes dist/go, a module proxy with the modules of the library and the sandbox.
package() (
	go run ./internal/modproxy ../.. ../../dist/go
)

# from_packages PROXY CACHE: has go commands take the project's modules from a module proxy, in a module cache of their own:
# the usual one may have an earlier build of the same version. What others published comes from the usual one; with -trimpath
# the build cache recognizes it.
from_packages() {
	GOPROXY=file://$1,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
	GONOSUMDB=automatic-rostering.example,$(go env GONOSUMDB)
	export GOPROXY GONOSUMDB
	export GOMODCACHE=$2 GOFLAGS='-trimpath -modcacherw' GOWORK=off
}

# Builds the suite's adapter from the packages: build/adapters/go/adapter; if CHECKED is set, with the race detector. What is built is compared with what was.
adapter() (
	to=$top/build/adapters/go
	mkdir -p "$to"
	exec 9<tasks.sh
	if command -v flock >/dev/null; then flock 9; fi # concurrent runs take turns
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	go run ./internal/modproxy "$top" "$folder/proxy"
	mkdir "$folder/source"
	cp "$top"/tests/adapters/go/*.go "$folder/source"
	sed '/^replace/d' "$top/tests/adapters/go/go.mod" >"$folder/source/go.mod"
	echo "${CHECKED:-}" >"$folder/source/checked"
	if diff -qr "$folder/proxy" "$to/proxy" >"$folder/differences" 2>&1 && diff -qr "$folder/source" "$to/source" >>"$folder/differences" 2>&1; then exit; fi
	rm -rf "$to/proxy" "$to/source"
	cp -r "$folder/source" "$to"
	from_packages "$folder/proxy" "$folder/cache"
	cd "$folder/source"
	go mod tidy 2>"$folder/tidy" || { cat "$folder/tidy" >&2; exit 1; }
	go build ${CHECKED:+-race} -o "$to/adapter.new" .
	mv "$to/adapter.new" "$to/adapter" # not over the old one, which a process may run
	cp -r "$folder/proxy" "$to" # last, so that an interrupted build does not count
)

# Takes from the modules of dist/go what the quick start of README.md does not: checks the files, the sandbox's version,
# and that only a program with the Redis store depends on go-redis.
test_package() (
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT

	from_packages "$top/dist/go" "$folder/cache"
	mkdir "$folder/program"
	cd "$folder/program"
	GOBIN=$folder go install automatic-rostering.example/sandbox/cmd/rostering-sandbox@latest
	go version -m "$folder/rostering-sandbox" | grep "automatic-rostering.example/sandbox.v$(cat "$top/VERSION")\s"

	go mod init example.com/program
	go get automatic-rostering.example/rostering
	go vet automatic-rostering.example/rostering
	go mod verify
	modules=$(go list -m all)
	if grep go-redis <<<"$modules"; then
		echo 'a program without the Redis store depends on go-redis' >&2
		exit 1
	fi
	go get automatic-rostering.example/rostering/redisstore
	go vet automatic-rostering.example/rostering/redisstore
)

# Prints what a list_jobs costs next to net/http.
bench() (
	go build -o "$top/build/bench-go" ./internal/bench
	"$top/build/sandbox" "$top/build/bench-go"
)

case ${1:-} in
setup) setup ;;
check | format | test) setup; by_make "$1" ;;
package | adapter | bench) setup; "$1" ;;
test-package) setup; test_package ;;
*) echo "usage: tasks.sh setup|check|format|test|package|test-package|adapter|bench" >&2; exit 64 ;;
esac
