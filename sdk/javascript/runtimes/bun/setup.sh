#!/usr/bin/env bash
# Installs Bun and what the package needs.
set -euo pipefail
cd "$(dirname "$0")"
../../setup.sh
../program.sh bun 1.4.0 bun@1.4.5 '@oven/*/bin/bun'
