#!/usr/bin/env bash
# Usage: timed.sh NAME COMMAND...
# Runs the command, and adds a line to build/seconds: the elapsed time, the CPU time, the name.
set -euo pipefail
name=$1
shift
TIMEFORMAT='%R %U %S'
exec 3>&1 4>&2
status=0
took=$({ time "$@" >&3 2>&4; } 2>&1) || status=$?
mkdir -p "$(dirname "$0")/../build"
awk -v name="$name" '{ printf "%6.0f s %6.0f s of CPU  %s\n", $1, $2 + $3, name }' <<<"$took" >>"$(dirname "$0")/../build/seconds"
exit $status
