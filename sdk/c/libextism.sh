#!/usr/bin/env bash
# Gets libextism from PyPI into lib, unless it is there: the library of a wheel, and its bill of materials.
set -euo pipefail
cd "$(dirname "$0")"

if cmp -s requirements.txt lib/requirements.txt && [ -e lib/libextism.cdx.json ]; then
	touch lib/libextism.so
	exit
fi
if ! python3 -m pip --version >/dev/null 2>&1; then
	echo "cannot get libextism without pip: apt-get install python3-pip, or set EXTISM=system to use your own" >&2
	exit 69
fi
rm -rf lib
mkdir -p lib/wheel
python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
	-r requirements.txt -d lib/wheel
python3 -m zipfile -e lib/wheel/*.whl lib/wheel
mv lib/wheel/extism_sys/libextism_sys.so lib/libextism.so
mv lib/wheel/*.dist-info/sboms/extism-sys.cyclonedx.json lib/libextism.cdx.json
rm -r lib/wheel
cp requirements.txt lib/requirements.txt
