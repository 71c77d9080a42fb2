#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../tasks.sh"
here=$PWD
code=(. ../../tests/adapters/{python,raw} ../../host-example/python)
ruff() { .venv/bin/ruff "$@" --quiet --config pyproject.toml "${code[@]}"; }

# Installs requirements.txt into .venv, where the package in this folder is found, too.
setup() (
	take_turns
	../../tools/setup.sh python
	if cmp -s requirements.txt .venv/requirements.txt &&
		.venv/bin/python -Ic 'import automatic_rostering' 2>/dev/null; then exit; fi
	rm -rf .venv
	python3 -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes --only-binary :all: -r requirements.txt
	pwd >"$(echo .venv/lib/python3*/site-packages)/automatic_rostering.pth"
	cp requirements.txt .venv/ # last: an interrupted install does not pass for a complete one
)

# Checks format, lint, types and reference, which it writes into build/reference.
check() (
	ruff format --check
	ruff check
	.venv/bin/mypy .
	.venv/bin/mypy "${code[@]:1}"
	.venv/bin/pyright
	.venv/bin/python -W error -m pdoc -o build/reference automatic_rostering{,.redis_store}
)

format() { ruff format; }

# Tests what only Python can show. tests/runner shows the rest, through the adapter.
test() { .venv/bin/python -W error -m unittest discover -s tests -t .; }

# package [FOLDER]: makes the wheel and the sdist in dist or FOLDER, the same byte for byte wherever
# and whenever this runs.
package() (
	dist=${1:-$root/dist}
	mkdir -p "$dist"
	for kind in sdist wheel; do
		SOURCE_DATE_EPOCH=1767225600 .venv/bin/python -c \
			"from flit_core.buildapi import *; build_$kind('$dist')"
	done
)

# Uses the packages as their users do, outside of the repository. tests/docs runs the quick start.
test_package() (
	package=automatic_rostering-$version
	wheel=$package-py3-none-any.whl
	cd "$new"
	python3 -m venv venv
	pip() { venv/bin/python -m pip --quiet --disable-pip-version-check "$@"; }

	# The extra has what its module needs, and the types are there for users.
	pip install "$root/dist/${wheel}[redis]"
	venv/bin/python -I -W error -c 'import automatic_rostering.redis_store'
	"$here/.venv/bin/mypy" --strict --python-executable venv/bin/python \
		"$root/host-example/python/jobs.py"

	# While these set the clocks; as a program in an archive; as one of PyInstaller.
	pip install freezegun==1.5.5 time-machine==3.6.0 pyinstaller==6.22.3
	for clock in 'freezegun.freeze_time("2040-01-01")' 'time_machine.travel(2e9, tick=False)'; do
		lists_jobs venv/bin/python -c "import ${clock%%.*}; from automatic_rostering import Client, Config
with $clock, Client(Config.from_env()) as client: print(client.list_jobs().text)"
	done
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

# Makes the wheel, and installs it as its users do, for the adapter in tests/adapters/python, with
# the versions of requirements.txt.
adapter() (
	take_turns
	package "$PWD/build/packages"
	wheel=$(echo build/packages/*.whl)
	if cmp -s "$wheel" build/adapter/installed; then exit; fi
	python3 -m venv --clear build/adapter
	grep -o '^[^ ]*==[^ ]*' requirements.txt >build/versions.txt
	build/adapter/bin/python -m pip install --quiet --disable-pip-version-check \
		-c build/versions.txt "${wheel}[redis]"
	build/adapter/bin/python -Pm automatic_rostering # not the one in this folder
	cp "$wheel" build/adapter/installed # last: an interrupted install does not pass for a complete one
)

run "$@"
