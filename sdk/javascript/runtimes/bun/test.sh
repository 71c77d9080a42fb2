#!/usr/bin/env bash
# Runs the tests against the sandbox (make build/sandbox). Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")/../.."
export NO_PROXY=127.0.0.1 # Bun's fetch uses the proxy of the environment
runtimes/bun/bun --no-install test ./tests/{client,errors,options,store,waits,with-token}.test.js
