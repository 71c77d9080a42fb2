#!/usr/bin/env bash
# Takes from the modules of dist/go what the quick start of README.md does not: checks the files, the sandbox's version, and
# that only a program with the Redis store depends on go-redis.
set -euo pipefail
cd "$(dirname "$0")"
command -v go >/dev/null || { echo "go is missing: https://go.dev/dl" >&2; exit 69; }
top=$(cd ../.. && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Its own module cache: the usual one may have an earlier build of the same version. What others published comes from the
# usual one; with -trimpath the build cache recognizes it.
GOPROXY=file://$top/dist/go,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
GONOSUMDB=automatic-rostering.example,$(go env GONOSUMDB)
export GOPROXY GONOSUMDB
export GOMODCACHE=$folder/cache GOFLAGS='-trimpath -modcacherw' GOWORK=off
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
