#!/usr/bin/env bash
# Runs the tests against the sandbox (make build/sandbox). Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")/../.."
export NO_PROXY=127.0.0.1 # Deno's fetch uses the proxy of the environment
[ -t 1 ] || export NO_COLOR=1
runtimes/deno/deno test --no-check --allow-read --allow-write --allow-env --allow-net=127.0.0.1 --allow-run \
	tests/{client,errors,options,store,waits,with-token}.test.js runtimes/deno
