#!/usr/bin/env bash
# Usage: [RUNTIME=node|deno|bun] run.sh jobs|minimal|service
# Runs a program of this folder with the ROSTERING_* variables. Run sdk/javascript/tasks.sh setup RUNTIME first.
folder=$(realpath "$(dirname "$0")")
root=$(realpath "$folder/../..")
command=(node --disable-warning=ExperimentalWarning)
case ${RUNTIME:-} in
deno) # with the permissions that the programs need; the last two variables are for minimal, whose SDK reads them
	command=("$root/sdk/javascript/runtimes/deno/deno" run --no-prompt --no-check --allow-net
		--allow-read="$root/sdk/javascript,$root/dist"
		--allow-env='ROSTERING_*,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__')
	;;
bun) command=("$root/sdk/javascript/runtimes/bun/bun" --no-install) ;;
esac
exec "${command[@]}" "$folder/$1.js"
