#!/usr/bin/env bash
# Makes random calls for STRESS_SECONDS seconds (default: 60) while everything fails: Stress.java. STRESS_SEED repeats the
# random choices of a run. Run setup.sh, and make build/sandbox in the top folder, first.
set -euo pipefail
cd "$(dirname "$0")"
exec java -Xmx512m -cp 'target/test-classes:target/classes:target/lib/*' example.automaticrostering.Stress
