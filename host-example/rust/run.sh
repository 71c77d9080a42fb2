#!/usr/bin/env bash
# Usage: run.sh jobs|service
# Runs a program with the ROSTERING_* variables, as sdk/rust/tasks.sh setup built it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$1
shift
exec "$root/sdk/rust/target/release/$program" "$@"
