#!/usr/bin/env bash
# Shows the plugin, with the ROSTERING_* variables set. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
exec java -cp 'target/test-classes:target/classes:target/lib/*' demo.Main
