#!/usr/bin/env bash
# Usage: tasks.sh VERB
# Exits with 69 if something is missing.
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

# Builds the suite's adapter: build/adapters/go/adapter; if CHECKED is set, with the race detector.
adapter() (
	exec 9<tasks.sh
	if command -v flock >/dev/null; then flock 9; fi # concurrent runs take turns
	to=$top/build/adapters/go/adapter
	cd "$top/tests"
	go build ${CHECKED:+-race} -o "$to.new" ./adapters/go
	mv "$to.new" "$to" # not over the old one, which a process may run
)

# Takes from the modules of dist/go what the quick start of README.md does not: checks the files, the sandbox's version,
# and that only a program with the Redis store depends on go-redis. The module cache is its own, because the usual one may
# have an earlier build of the same version. What others published comes from the usual one; with -trimpath the build cache
# recognizes it.
test_package() (
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	GOPROXY=file://$top/dist/go,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
	GONOSUMDB=automatic-rostering.example,$(go env GONOSUMDB)
	export GOPROXY GONOSUMDB GOMODCACHE=$folder/cache GOFLAGS='-trimpath -modcacherw' GOWORK=off
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

case ${1:-} in
setup) setup ;;
check | format | test) setup; by_make "$1" ;;
package | adapter) setup; "$1" ;;
test-package) setup; test_package ;;
*) echo "usage: tasks.sh setup|check|format|test|package|test-package|adapter" >&2; exit 64 ;;
esac
