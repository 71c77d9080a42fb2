#!/usr/bin/env bash
# Shows the Worker, with the ROSTERING_* variables set. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
exec node main.js
