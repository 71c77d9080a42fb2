#!/usr/bin/env bash
# Makes the wheel and the sdist in dist, the same byte for byte wherever and whenever this runs. DIST=folder puts them
# elsewhere. Run setup.sh and make build (in the top folder) first.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
mkdir -p "${DIST:=$root/dist}"
DIST=$(cd "$DIST" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

cp -rL pyproject.toml README.md automatic_rostering "$root/LICENSE" "$root/THIRD_PARTY_NOTICES.md" "$stage"
python=$PWD/.venv/bin/python
cd "$stage"
for kind in sdist wheel; do
	SOURCE_DATE_EPOCH=1767225600 "$python" -c "from flit_core.buildapi import *; build_$kind('$DIST')"
done
