#!/usr/bin/env bash
# Runs the stress test with the race detector, for STRESS_SECONDS (60) and with STRESS_SEED (random), after make build build/sandbox.
set -euo pipefail
cd "$(dirname "$0")"
command -v go >/dev/null || { echo "go is missing: https://go.dev/dl" >&2; exit 69; }
command -v gcc >/dev/null || { echo "gcc is missing, which the race detector needs: apt-get install gcc" >&2; exit 69; }
CGO_ENABLED=1 go run -race ./internal/sandbox/stress
