#!/usr/bin/env bash
# Usage: run.sh jobs|minimal
# Runs a program of this folder with the ROSTERING_* variables of the environment, and with the permissions that it needs.
# minimal is Node's, unchanged. Run sdk/javascript/tasks.sh setup deno first.
folder=$(realpath "$(dirname "$0")")
root=$(realpath "$folder/../..")
program=$folder/$1.ts environment='ROSTERING_*'
if [ "$1" = minimal ]; then
	program=$folder/../node/minimal.js
	environment+=,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__ # which the SDK reads
fi
shift
exec "$root/sdk/javascript/runtimes/deno/deno" run --no-prompt --no-check \
	--allow-net \
	--allow-read="$root/sdk/javascript,$root/dist" \
	--allow-env="$environment" \
	"$program" "$@"
