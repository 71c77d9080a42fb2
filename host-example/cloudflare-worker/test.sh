#!/usr/bin/env bash
# Tests in workerd, against a service on loopback. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
node --test test/*.test.js
