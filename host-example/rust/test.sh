#!/usr/bin/env bash
# Tests against a service on loopback. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
# libextism sends even loopback's requests through a proxy of the environment.
NO_PROXY='*' cargo test --locked --quiet --target-dir target --workspace
