#!/usr/bin/env bash
# google-java-format, and javac with -Xlint:all -Werror, which setup.sh compiles with.
set -euo pipefail
cd "$(dirname "$0")"
./setup.sh
mvn --batch-mode --no-transfer-progress --quiet fmt:check
