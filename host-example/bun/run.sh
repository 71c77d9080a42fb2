#!/usr/bin/env bash
# Usage: run.sh jobs|minimal
# Runs a program of this folder with the ROSTERING_* variables of the environment. minimal is Node's, unchanged. Run
# sdk/javascript/tasks.sh setup bun first.
folder=$(realpath "$(dirname "$0")")
program=$folder/$1.ts
[ "$1" != minimal ] || program=$folder/../node/minimal.js
shift
exec "$folder/../../sdk/javascript/runtimes/bun/bun" --no-install "$program" "$@"
