#!/usr/bin/env bash
# Uses the wheel and the sdist of package.sh as their users do, outside of the repository. Run setup.sh and package.sh
# first, and make build/sandbox in the top folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
package=automatic_rostering-$(cat "$root/VERSION")
wheel=$package-py3-none-any.whl
sdist=$package.tar.gz
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
cp "$root/host-example/python/jobs.py" "$new"
cd "$new"

python3 -m venv venv
pip() { venv/bin/python -m pip --quiet --disable-pip-version-check "$@"; }

pip install "$root/dist/$wheel"
"$root/build/sandbox" venv/bin/python -I -W error jobs.py >shown
grep -q sandbox-job-1 shown || { cat shown; exit 1; }

pip install "$root/dist/$wheel[redis]" "$(grep -o "^mypy==[0-9.]*" "$here/requirements.txt")"
venv/bin/mypy --strict jobs.py
venv/bin/python -I -W error -c 'import automatic_rostering.redis_store'

# What others make of the sdist is the same wheel, and so is what package.sh makes now.
SOURCE_DATE_EPOCH=1767225600 pip wheel --no-deps --wheel-dir of-sdist "$root/dist/$sdist"
cmp "of-sdist/$wheel" "$root/dist/$wheel"
DIST=$new/again "$here/package.sh"
for file in "$wheel" "$sdist"; do cmp "again/$file" "$root/dist/$file"; done
echo "Python: packages of $(stat -c %s "$root/dist/$wheel") and $(stat -c %s "$root/dist/$sdist") bytes work"
