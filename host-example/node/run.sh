#!/usr/bin/env bash
# Usage: run.sh jobs|minimal|service
#        run.sh minimal call <REQUESTS
# Runs a program of this folder with the ROSTERING_* variables of the environment. Run sdk/javascript/tasks.sh setup first.
program=$1
shift
exec node --disable-warning=ExperimentalWarning "$(dirname "$0")/$program.js" "$@"
