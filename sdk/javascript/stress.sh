#!/usr/bin/env bash
# Stresses the client for STRESS_SECONDS seconds (default: 60), against the sandbox (make build/sandbox): see tests/stress.js. If
# Node itself hangs, it prints a report with its stack and is killed. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
flags=(--expose-gc --disable-warning=ExperimentalWarning --report-on-signal --report-signal=SIGUSR2 --report-filename=stderr)
exec timeout --signal=USR2 --kill-after=10 $((${STRESS_SECONDS:-60} + 240)) node "${flags[@]}" tests/stress.js
