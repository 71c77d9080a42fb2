#!/usr/bin/env bash
# Uses the wheel and the sdist of package.sh as their users do, outside of the repository, beyond what the page's quick
# start shows. Run setup.sh and package.sh first.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
package=automatic_rostering-$(cat "$root/VERSION")
wheel=$package-py3-none-any.whl
sdist=$package.tar.gz
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
cd "$new"

python3 -m venv venv
pip() { venv/bin/python -m pip --quiet --disable-pip-version-check "$@"; }

# The extra has what its module needs, and the types are there for users.
pip install "$root/dist/$wheel[redis]" "$(grep -o "^mypy==[0-9.]*" "$here/requirements.txt")"
venv/bin/python -I -W error -c 'import automatic_rostering.redis_store'
venv/bin/mypy --strict "$root/host-example/python/jobs.py"

# What others make of the sdist is the same wheel, and so is what package.sh makes now.
SOURCE_DATE_EPOCH=1767225600 pip wheel --no-deps --wheel-dir of-sdist "$root/dist/$sdist"
cmp "of-sdist/$wheel" "$root/dist/$wheel"
DIST=$new/again "$here/package.sh"
for file in "$wheel" "$sdist"; do cmp "again/$file" "$root/dist/$file"; done
echo "Python: packages of $(stat -c %s "$root/dist/$wheel") and $(stat -c %s "$root/dist/$sdist") bytes work"
