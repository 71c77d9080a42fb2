#!/usr/bin/env bash
# Format, lint, types. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
runtime/deno fmt --check --quiet
runtime/deno lint --quiet
runtime/deno check --quiet .
for script in ./*.sh; do bash -n "$script"; done
