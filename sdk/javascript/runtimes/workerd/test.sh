#!/usr/bin/env bash
# Runs the tests in workerd, against the sandbox (make build/sandbox). Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
node --test tests/*.test.js
