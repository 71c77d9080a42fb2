#!/usr/bin/env bash
# Deno's own check of types. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
./deno check --quiet ./*.ts ../../../../host-example/deno/*.ts
