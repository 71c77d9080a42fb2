#!/bin/sh
# Cargo runs the compiler by this for the packages of the workspace. Panics name their files: not by the path on this machine.
exec "$@" --remap-path-prefix="$(cd "$(dirname "$0")/../.." && pwd)=rostering"
