#!/usr/bin/env bash
# The tests; they need the built plugin in dist.
set -euo pipefail
cd "$(dirname "$0")"
./setup.sh
mvn --batch-mode --no-transfer-progress surefire:test
