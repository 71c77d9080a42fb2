#!/usr/bin/env bash
# Installs Deno and what the package needs. Deno 2.9.5 sends a request twice if the connection closes without a response.
set -euo pipefail
cd "$(dirname "$0")"
../../setup.sh
../program.sh deno 2.9.6 deno@2.9.6 '@deno/*/deno'
