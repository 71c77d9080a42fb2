#!/usr/bin/env bash
# Formats the code as check.sh expects it. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
../../tests/setup/setup.sh c-check
git ls-files -co --exclude-standard -- . ../../host-example/c ../../tests/conformance/hosts/c | grep -E '\.(c|cpp|h)$' |
	xargs clang-format --style=file:.clang-format -i
