#!/usr/bin/env bash
# Measures the library's calls next to those of the JDK's HTTP client alone: starts Bench.java, which tests/cmd/bench talks
# to. Run setup.sh first, and set the ROSTERING_* variables.
set -euo pipefail
cd "$(dirname "$0")"
./setup.sh
exec java -cp 'target/test-classes:target/classes:target/lib/*' example.automaticrostering.Bench
