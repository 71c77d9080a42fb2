#!/usr/bin/env bash
# Writes dist/go, a module proxy with the modules of the library and the sandbox, after make build.
set -euo pipefail
cd "$(dirname "$0")"
command -v go >/dev/null || { echo "go is missing: https://go.dev/dl" >&2; exit 69; }
cd ../../tests
go run ./cmd/modproxy .. ../dist/go
