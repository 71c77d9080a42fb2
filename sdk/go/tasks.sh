#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../../tools/tasks.sh"

setup() {
	command -v go >/dev/null || { echo "go is missing: https://go.dev/dl" >&2; exit 69; }
}

# The targets of the Makefile of these names are for all Go modules.
check() { :; }
format() { :; }
test() { :; }

# Writes dist/go, a module proxy with the modules of the library and the sandbox.
package() { go -C "$root/tests" run ./cmd/modproxy; }

# Builds the suite's adapter: build/adapters/go/adapter; if CHECKED is set, with the race detector.
adapter() {
	take_turns
	local to=$root/build/adapters/go/adapter
	go -C "$root/tests" build ${CHECKED:+-race} -o "$to.new" ./adapters/go
	mv "$to.new" "$to" # not over the old one, which a process may run
}

# Takes from the modules of dist/go what the quick start of README.md does not: checks the files, the sandbox's version,
# and that only a program with the Redis store depends on go-redis. The module cache is its own, because the usual one may
# have an earlier build of the same version. What others published comes from the usual one; with -trimpath the build cache
# recognizes it.
test_package() {
	GOPROXY=file://$root/dist/go,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
	GONOSUMDB=automatic-rostering.example,$(go env GONOSUMDB)
	export GOPROXY GONOSUMDB GOMODCACHE=$new/cache GOFLAGS='-trimpath -modcacherw' GOWORK=off
	mkdir "$new/program"
	cd "$new/program"
	GOBIN=$new go install automatic-rostering.example/sandbox/cmd/rostering-sandbox@latest
	go version -m "$new/rostering-sandbox" | grep "automatic-rostering.example/sandbox.v$version\s"

	go mod init example.com/program
	go get automatic-rostering.example/rostering/sdk/go
	go vet automatic-rostering.example/rostering/sdk/go
	go mod verify
	! go list -m all | grep go-redis || fail "a program without the Redis store depends on go-redis"
	go get automatic-rostering.example/rostering/sdk/go/redisstore
	go vet automatic-rostering.example/rostering/sdk/go/redisstore
}

run "$@"
