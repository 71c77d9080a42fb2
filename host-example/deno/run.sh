#!/usr/bin/env bash
# Usage: run.sh jobs|minimal
# Runs a program of this folder with the ROSTERING_* variables of the environment, and with the permissions that it needs.
# minimal is Node's, unchanged. Run sdk/javascript/runtimes/deno/setup.sh first.
folder=$(realpath "$(dirname "$0")")
root=$(realpath "$folder/../..")
program=$folder/$1.ts
[ "$1" != minimal ] || program=$folder/../node/minimal.js
shift
exec "$root/sdk/javascript/runtimes/deno/deno" run --no-prompt --no-check \
	--allow-net \
	--allow-read="$root/sdk/javascript,$root/dist" \
	--allow-env='ROSTERING_*,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__' \
	"$program" "$@"
