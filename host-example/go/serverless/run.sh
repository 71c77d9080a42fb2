#!/usr/bin/env bash
# Calls the handler some times, each in a new process, with the ROSTERING_* variables set.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/serverless" .
export ROSTERING_STORE=$folder/store
call() { "$folder/serverless" >/dev/null; }
echo "the first call on this machine: the plugin is compiled, a token requested" >&2
call
echo "with the compiled plugin and the token" >&2
for _ in 1 2 3; do call; done
echo "without the token: each call requests one" >&2
for _ in 1 2 3; do
	find "$ROSTERING_STORE" -maxdepth 1 -type f -delete
	call
done
