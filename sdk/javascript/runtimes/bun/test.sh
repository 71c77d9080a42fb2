#!/usr/bin/env bash
# Tests against the sandbox (make build/sandbox). Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")/../.."
export NO_PROXY=127.0.0.1 # Bun's fetch goes through the proxy that the environment names
runtimes/bun/bun --no-install test ./tests/{client,errors,options,store,waits,with-token}.test.js
