#!/usr/bin/env bash
# Runs the tests against the sandbox (make build/sandbox), on the installed Node and on one with JSPI. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")/../.."
for node in node runtimes/node/node; do
	if ! command -v "$node" >/dev/null; then continue; fi # npm has the second one only for some platforms
	echo "Node $("$node" --version)"
	"$node" --disable-warning=ExperimentalWarning --test tests/*.test.js
done
