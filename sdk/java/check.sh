#!/usr/bin/env bash
# Shell scripts, google-java-format, and javac with -Xlint:all -Werror, which setup.sh compiles with.
set -euo pipefail
cd "$(dirname "$0")"
for script in ./*.sh; do bash -n "$script"; done
./setup.sh
mvn --batch-mode --no-transfer-progress --quiet fmt:check
