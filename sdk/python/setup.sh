#!/usr/bin/env bash
# Installs requirements.txt into .venv, where the package in this folder is found too. Does nothing if that is done.
set -euo pipefail
cd "$(dirname "$0")"

# Several runs at once take turns.
exec 9<requirements.txt
if command -v flock >/dev/null; then flock 9; fi

ready() {
	cmp -s requirements.txt .venv/requirements.txt && .venv/bin/python -Ic 'import automatic_rostering' 2>/dev/null
}

../../tests/setup/setup.sh python
if ready; then exit 0; fi
rm -rf .venv
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
	--require-hashes --only-binary :all: -r requirements.txt
pwd >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/automatic_rostering.pth"
cp requirements.txt .venv/ # last, so that an interrupted install does not pass for a complete one
