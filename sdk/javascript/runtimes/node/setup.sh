#!/usr/bin/env bash
# Installs what the package needs, and a second Node, with JSPI, if npm has one for this machine.
set -euo pipefail
cd "$(dirname "$0")"
../../setup.sh
[ -e node ] || ../program.sh node 25.9.0 "$(node -p '`node-${process.platform}-${process.arch}`')@25.9.0" '*/bin/node' || true
