#!/usr/bin/env bash
# Takes the modules of dist/go as a user does: in an empty folder, by the go command alone.
set -euo pipefail
cd "$(dirname "$0")"
command -v go >/dev/null || { echo "go is missing: https://go.dev/dl" >&2; exit 69; }
top=$(cd ../.. && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program=$PWD/../../host-example/go/jobs/main.go

# A module cache of its own: the usual one may have an earlier build of the same version. The
# usual one is asked for what others published; -trimpath lets the build cache know them again.
GOPROXY=file://$top/dist/go,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
GONOSUMDB=automatic-rostering.example,$(go env GONOSUMDB)
export GOPROXY GONOSUMDB
export GOMODCACHE=$folder/cache GOFLAGS='-trimpath -modcacherw' GOWORK=off
mkdir "$folder/empty" "$folder/jobs"
cd "$folder/empty"
GOBIN=$folder go install automatic-rostering.example/sandbox/cmd/rostering-sandbox@latest
go version -m "$folder/rostering-sandbox" | grep "automatic-rostering.example/sandbox.v$(cat "$top/VERSION")\s"
cd "$folder/jobs"
go mod init example.com/jobs
cp "$program" .
go get automatic-rostering.example/rostering
go mod tidy
go vet ./...
go mod verify
"$folder/rostering-sandbox" go run . | tee ../jobs.json
grep -q '"jobs":\[{' ../jobs.json

modules=$(go list -m all)
if grep go-redis <<<"$modules"; then
	echo 'a program without the Redis store gets go-redis' >&2
	exit 1
fi
go get automatic-rostering.example/rostering/redisstore
go vet automatic-rostering.example/rostering/redisstore
