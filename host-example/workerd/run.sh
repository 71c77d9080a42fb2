#!/usr/bin/env bash
# Usage: run.sh jobs|service
# Runs a program of this folder with the ROSTERING_* variables of the environment. Run sdk/javascript/tasks.sh setup first.
exec node "$(dirname "$0")/run.js" "$1"
