#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../../tools/tasks.sh"
here=$PWD
code=(. ../../tests/adapters/{python,raw} ../../host-example/python)

# Installs requirements.txt into .venv, where the package in this folder is found, too.
setup() (
	take_turns
	../../tools/setup.sh python
	if cmp -s requirements.txt .venv/requirements.txt && .venv/bin/python -Ic 'import automatic_rostering' 2>/dev/null; then
		exit
	fi
	rm -rf .venv
	python3 -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes --only-binary :all: -r requirements.txt
	pwd >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/automatic_rostering.pth"
	cp requirements.txt .venv/ # last, so that an interrupted install does not pass for a complete one
)

# Checks format, lint, types and reference, which it writes into build/reference.
check() (
	.venv/bin/ruff format --check --quiet --config pyproject.toml "${code[@]}"
	.venv/bin/ruff check --quiet --config pyproject.toml "${code[@]}"
	.venv/bin/mypy .
	.venv/bin/mypy "${code[@]:1}"
	mkdir -p build
	.venv/bin/pyright >build/pyright || { cat build/pyright; exit 1; }
	.venv/bin/python -W error -m pdoc -o build/reference automatic_rostering automatic_rostering.redis_store
)

format() { .venv/bin/ruff format --quiet --config pyproject.toml "${code[@]}"; }

# Tests what only Python can show. tests/runner shows the rest, through the adapter.
test() { .venv/bin/python -W error -m unittest discover -s tests -t .; }

# Makes the wheel and the sdist in dist, the same byte for byte wherever and whenever this runs. An argument names a
# folder in place of dist.
package() (
	dist=${1:-$root/dist}
	mkdir -p "$dist"
	for kind in sdist wheel; do
		SOURCE_DATE_EPOCH=1767225600 .venv/bin/python -c "from flit_core.buildapi import *; build_$kind('$dist')"
	done
)

# Uses the package files as their users do, outside of the repository. tests/docs runs the quick start of README.md.
test_package() (
	package=automatic_rostering-$version
	wheel=$package-py3-none-any.whl
	cd "$new"

	python3 -m venv venv
	pip() { venv/bin/python -m pip --quiet --disable-pip-version-check "$@"; }

	# The extra has what its module needs, and the types are there for users.
	pip install "$root/dist/${wheel}[redis]"
	venv/bin/python -I -W error -c 'import automatic_rostering.redis_store'
	"$here/.venv/bin/mypy" --strict --python-executable venv/bin/python "$root/host-example/python/jobs.py"

	# A client that is opened while freezegun or time-machine sets the clocks; a program in an archive; one of PyInstaller.
	pip install freezegun==1.5.5 time-machine==3.6.0 pyinstaller==6.22.3
	lists_jobs venv/bin/python -c 'from freezegun import freeze_time
from automatic_rostering import Client, Config
with freeze_time("2040-01-01"), Client(Config.from_env()) as client:
    print(client.list_jobs().text)'
	lists_jobs venv/bin/python -c 'from time_machine import travel
from automatic_rostering import Client, Config
with travel("2020-01-01", tick=False), Client(Config.from_env()) as client:
    print(client.list_jobs().text)'
	pip install --no-deps --target archive "$root/dist/$wheel"
	cp "$root/host-example/python/jobs.py" archive/__main__.py
	venv/bin/python -m zipapp archive
	lists_jobs venv/bin/python archive.pyz
	venv/bin/pyinstaller --log-level ERROR "$root/host-example/python/jobs.py"
	lists_jobs dist/jobs/jobs

	# The sdist builds the same wheel.
	SOURCE_DATE_EPOCH=1767225600 pip wheel --no-deps --wheel-dir of-sdist "$root/dist/$package.tar.gz"
	cmp "of-sdist/$wheel" "$root/dist/$wheel"
)

# Makes the wheel, and installs it as its users do, for the adapter in tests/adapters/python, with the versions of
# requirements.txt.
adapter() (
	take_turns
	mkdir -p build
	package "$PWD/build/packages"
	wheel=$(echo build/packages/*.whl)
	if cmp -s "$wheel" build/adapter/installed; then
		exit
	fi
	python3 -m venv --clear build/adapter
	grep -o '^[^ ]*==[^ ]*' requirements.txt >build/versions.txt
	build/adapter/bin/python -m pip install --quiet --disable-pip-version-check -c build/versions.txt "${wheel}[redis]"
	build/adapter/bin/python -Pm automatic_rostering # not the one in this folder
	cp "$wheel" build/adapter/installed # last, so that an interrupted install does not pass for a complete one
)

run "$@"
