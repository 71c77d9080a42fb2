#!/usr/bin/env bash
# Usage: run.sh jobs|minimal|service|fleet
# Runs a program of this folder with the ROSTERING_* variables of the environment; fleet starts its own sandbox. Run
# sdk/javascript/tasks.sh setup first.
folder=$(dirname "$0")
[ "${1:-}" != fleet ] || exec node "$folder/fleet.js"
exec node "$folder/run.js" "$@"
