#!/usr/bin/env bash
# Counts token requests of a fleet of isolates, with KV and without. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
exec node fleet.js
