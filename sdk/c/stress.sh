#!/usr/bin/env bash
# Makes random calls for STRESS_SECONDS (default: 60) while everything around them fails, half of the time with gcc's address
# and undefined behavior sanitizers, half with its thread sanitizer. STRESS_SEED repeats the choices of a run, though not
# their timing. Run setup.sh and make build/sandbox (in the top folder) first.
set -euo pipefail
cd "$(dirname "$0")"
seconds=$(((${STRESS_SECONDS:-60} + 1) / 2))
seed=${STRESS_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "STRESS_SEED=$seed"
make -s build/stress-address build/stress-thread
export TSAN_OPTIONS=suppressions=$PWD/tests/stress/thread.supp
for sanitizer in address thread; do build/stress-$sanitizer "$seconds" "$seed"; done | tee build/stress
awk '{ calls += $1; cancels += $3; faults += $5 } END { print "C:", calls, "calls,", cancels, "cancels,", faults, "faults" }' build/stress
