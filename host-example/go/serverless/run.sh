#!/usr/bin/env bash
# Calls the handler some times, each in a new process, with the ROSTERING_* variables set.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/serverless" .
export ROSTERING_TOKEN_FILE=$folder/token.json
export XDG_CACHE_HOME=$folder # where the compiled plugin is kept
call() { "$folder/serverless" >/dev/null; }
echo "the first call on this machine: the plugin is compiled" >&2
call
echo "with the compiled plugin and the token of the call before" >&2
for _ in 1 2 3; do call; done
echo "without the token: each call asks for one" >&2
for _ in 1 2 3; do
	rm "$ROSTERING_TOKEN_FILE"
	call
done
