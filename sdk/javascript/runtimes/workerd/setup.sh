#!/usr/bin/env bash
# Provides what the package needs, workerd among it.
set -euo pipefail
cd "$(dirname "$0")"
../../setup.sh
if ! ../../node_modules/.bin/workerd --version >/dev/null; then
	echo "workerd: it needs glibc 2.35 or newer on Linux, or macOS 13.5" >&2
	exit 69
fi
