#!/usr/bin/env bash
# Installs what the package needs, including workerd.
set -euo pipefail
cd "$(dirname "$0")"
../../setup.sh
if ! ../../node_modules/.bin/workerd --version >/dev/null; then
	echo "workerd does not run here: it needs glibc 2.35 or newer on Linux, or macOS 13.5" >&2
	exit 69
fi
