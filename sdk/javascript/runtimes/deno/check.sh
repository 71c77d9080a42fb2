#!/usr/bin/env bash
# Checks types with Deno. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
./deno check --quiet ./*.ts ../../../../host-example/deno/*.ts
