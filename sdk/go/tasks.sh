#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../tasks.sh"
export GOBIN=$root/build

setup() { ../../tools/setup.sh go; }

# Checks all Go modules of the repository, of which the library is one.
check() {
	cd "$root"
	format -l | diff /dev/null - >&2 || fail "make format formats these"
	go install honnef.co/go/tools/cmd/staticcheck@v0.7.0
	for module in $(git ls-files '*go.mod'); do
		(cd "${module%go.mod}." && go vet ./... && "$GOBIN/staticcheck" ./... && go mod tidy -diff)
	done
	plugin/vet.sh "$GOBIN/staticcheck"
}

format() {
	cd "$root"
	git ls-files -co --exclude-standard -z '*.go' | xargs -0 gofmt "${1:--w}"
}

# The tests are those of the module.
test() { :; }

# Go's module proxy takes the modules from the tags of the repository.
package() { :; }

# Builds the suite's adapter: build/adapters/go/adapter; if CHECKED is set, with the race detector.
adapter() {
	take_turns
	local to=$root/build/adapters/go/adapter
	go -C "$root/tests" build ${CHECKED:+-race} -o "$to.new" ./adapters/go
	mv "$to.new" "$to" # not over the old one, which a process may run
}

# Uses the modules as the quick start of README.md does not: as a commit would have them now,
# without what was built beside them. Only a program with the Redis store depends on go-redis.
test_package() {
	local module=automatic-rostering.example/rostering commit
	mkdir "$new"/{clone,program}
	commit=$(git -C "$root" stash create)
	git -C "$root" archive "${commit:-HEAD}" | tar -xC "$new/clone"
	cd "$new/program"
	export GOFLAGS=-mod=mod # go vet writes into go.mod what it needs
	go mod init example.com/program
	go mod edit -require "$module@v$version" -replace "$module=$new/clone"
	go vet "$module/sdk/go"
	! go list -m all | grep go-redis || fail "a program without the Redis store depends on go-redis"
	go mod edit -require "$module/sdk/go/redisstore@v$version" \
		-replace "$module/sdk/go/redisstore=$new/clone/sdk/go/redisstore"
	go vet "$module/sdk/go/redisstore"
}

run "$@"
