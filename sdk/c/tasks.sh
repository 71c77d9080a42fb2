#!/usr/bin/env bash
# Usage: tasks.sh VERB
# A verb is a function below. Exits with 69 if something that C needs is missing.
set -euo pipefail
cd "$(dirname "$0")"

# Gets libextism from PyPI into lib, unless it is there: the library of a wheel, and its bill of materials.
libextism() (
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
)

# Gets libextism into lib, and builds the library, the adapter and the programs of host-example/c. For packages, which
# build the library themselves, `setup libextism` only gets libextism.
setup() (
	# Concurrent runs take turns.
	exec 9<requirements.txt
	if command -v flock >/dev/null; then flock 9; fi

	../../tests/setup/setup.sh c
	libextism
	[ "${1:-}" != libextism ] || exit 0
	make -s all build/adapter
	make -s install PREFIX="$PWD/build/installed"
	make -s -C ../../host-example/c
)

# Checks the format, gcc's warnings and analyzer, the header and an example as C++, cppcheck.
check() (
	../../tests/setup/setup.sh c-check
	examples=../../host-example/c
	adapter=../../tests/conformance/hosts/c
	sources=(src/*.c tests/*.c "$adapter"/*.c)
	alone=(tests/fake/fake.c tests/stress/stress.c "$examples"/*.c)
	read -ra flags <<<"-std=c11 -D_GNU_SOURCE -Iinclude -Isrc -Iextism -Itests $(pkg-config --cflags jansson libcurl libcrypto)"
	flags+=(-DROSTERING_WASM='"../../dist/rostering-nowasi.wasm"' -Wall -Wextra -Wno-unused-parameter -Wpedantic -Werror)

	clang-format --style=file:.clang-format --dry-run -Werror "${sources[@]}" "${alone[@]}" "$examples"/jobs.cpp \
		include/*.h src/*.h tests/*.h extism/*.h "$adapter"/*.h
	for source in "${sources[@]}" "${alone[@]}"; do gcc "${flags[@]}" -O2 -fanalyzer -c "$source" -o /dev/null; done
	for source in "$examples"/jobs.cpp include/rostering.h; do
		g++ -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ "$source"
	done
	# readdir is safe for threads that do not share the stream; readdir_r is deprecated.
	check() {
		cppcheck --quiet --std=c11 --enable=warning,style,performance,portability --inline-suppr --suppress=readdirCalled \
			--library=posix --error-exitcode=1 -Iinclude -Isrc -Iextism "$@"
	}
	check "${sources[@]}"
	check "${alone[@]}" # they define the same functions as the others
)

# Formats the code as check expects it.
format() (
	../../tests/setup/setup.sh c-check
	git ls-files -co --exclude-standard -- . ../../host-example/c ../../tests/conformance/hosts/c | grep -E '\.(c|cpp|h)$' |
		xargs clang-format --style=file:.clang-format -i
)

# Runs the tests of the library with gcc's address and undefined behavior sanitizers.
test() (
	make -s test
)

# Makes dist/rostering-c-VERSION.tar.gz, the source, and dist/rostering-c-VERSION-linux-ARCH.tar.gz, which is built from
# it. Both are the same byte for byte wherever and whenever this runs. An argument names a folder in place of
# dist.
package() (
	umask 022
	root=$(cd ../.. && pwd)
	dist=${1:-$root/dist}
	name=rostering-c-$(cat "$root/VERSION")
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT

	pack() {
		chmod -R u=rwX,go=rX "$stage/$1"
		tar --sort=name --mtime=@1767225600 --owner=0 --group=0 --numeric-owner --format=gnu -C "$stage" -cf - "$1" |
			gzip -n >"$stage/$1.tar.gz"
	}

	extism/notices.py --check
	source=$stage/$name
	mkdir "$source"
	cp -r Makefile README.md tasks.sh requirements.txt ./*.in include src extism "$root/host-example/c/jobs.c" \
		"$root/host-example/c/jobs.cpp" "$root/LICENSE" "$root/THIRD_PARTY_NOTICES.md" "$root/dist/rostering-nowasi.wasm" "$source"
	pack "$name"

	# Built from that source, which shows that it is complete; libextism has been fetched before.
	cp -rp lib "$source"
	binary=$name-linux-$(uname -m)
	make -s -j2 -C "$source" install DESTDIR="$stage" PREFIX="/$binary"
	pack "$binary"
	mkdir -p "$dist"
	mv "$stage/$name.tar.gz" "$stage/$binary.tar.gz" "$dist"
)

# Uses the package files as their users do, outside of the repository; what the quick start of README.md
# does is left to tests/docs.
test_package() (
	here=$PWD
	root=$(cd "$here/../.." && pwd)
	version=$(cat "$root/VERSION")
	source=rostering-c-$version
	binary=$source-linux-$(uname -m)
	new=$(mktemp -d)
	trap 'rm -rf "$new"' EXIT
	cd "$new"

	fail() { echo "$*" >&2; exit 1; }

	# build COMPILER… PACKAGE PROGRAM: compiles the program with the flags of pkg-config alone, and runs it.
	strict=(-Wall -Wextra -Wpedantic -Werror)
	build() {
		local package=${*: -2:1} program=${*: -1} flags
		read -ra flags <<<"$(pkg-config --cflags --libs "$package")"
		"${@:1:$#-2}" "${strict[@]}" "$program" "${flags[@]}" -o program
		run ./program
	}

	# run PROGRAM: it lists the jobs.
	run() {
		env -u LD_LIBRARY_PATH "$root/build/sandbox" "$1" >shown 2>&1 || { cat shown; fail "$* failed"; }
		grep -q '"jobs":\[{"id":"sandbox-job-1"' shown || { cat shown; fail "$* listed no jobs"; }
	}

	tar -xzf "$root/dist/$binary.tar.gz"
	mv "$binary" moved # it works in any folder
	documents=$new/moved/share/doc/rostering
	export PKG_CONFIG_PATH=$new/moved/lib/pkgconfig
	[ "$(pkg-config --modversion rostering)" = "$version" ] || fail "pkg-config has another version"
	build g++ -std=c++17 rostering "$documents/jobs.cpp" # in C: the quick start
	readelf -d program | grep -q 'librostering\.so\.0' || fail "rostering is not linked as a shared library"
	build gcc -std=c11 rostering-static "$documents/jobs.c"
	! readelf -d program | grep -q 'librostering\.so' || fail "rostering-static is linked as a shared library"

	# The same with CMake.
	mkdir cmake
	cp "$documents/jobs.c" cmake
	cat >cmake/CMakeLists.txt <<-EOF
	cmake_minimum_required(VERSION 3.13)
	project(jobs C)
	find_package(rostering ${version%.*} REQUIRED)
	add_executable(program jobs.c)
	target_link_libraries(program rostering::rostering)
	EOF
	MAKEFLAGS= cmake -S cmake -B cmake/build -DCMAKE_PREFIX_PATH="$new/moved" >/dev/null
	MAKEFLAGS= cmake --build cmake/build >/dev/null
	run cmake/build/program

	# A process that unloads it, as PHP does, must not remove the code that threads still run.
	readelf -d moved/lib/librostering.so | grep -q NODELETE || fail "the shared library can be unloaded"

	# The shared library exports what the header declares, and nothing else.
	nm -D --defined-only moved/lib/librostering.so | sed 's/.* //; s/@.*//' | sort >exported
	grep -oE '\brostering_[a-z_]+\(' moved/include/rostering.h | tr -d '(' | sort -u >declared
	diff declared exported || fail "the shared library exports (>) something else than the header declares (<)"

	tar -xzf "$root/dist/$source.tar.gz"
	make -s -j2 -C "$source" install PREFIX="$new/installed"
	PKG_CONFIG_PATH=$new/installed/lib/pkgconfig build gcc -std=c11 rostering "$documents/jobs.c"
	diff -r moved installed || fail "what the source installs is not what the other package has"

	# With the machine's libextism in place of an included one.
	cat >extism.pc <<-EOF
	Name: extism
	Description: as Extism's own
	Version: 1.41.0
	Libs: -L$new/moved/lib/rostering -lextism -Wl,-rpath,$new/moved/lib/rostering
	EOF
	export PKG_CONFIG_PATH=$new/system/lib/pkgconfig:$new
	rm "$source"/build/librostering.so.* # to link it anew
	make -s -C "$source" install EXTISM=system PREFIX="$new/system"
	[ ! -e system/lib/rostering ] || fail "libextism is included"
	for package in rostering rostering-static; do build gcc -std=c11 $package "$documents/jobs.c"; done

	make -s -C "$source" uninstall PREFIX="$new/installed"
	[ -z "$(find installed ! -type d)" ] || fail "uninstall left files behind"

	cd "$here"
	package "$new/again"
	cd "$new"
	for name in "$source" "$binary"; do
		cmp "again/$name.tar.gz" "$root/dist/$name.tar.gz" || fail "$name.tar.gz has other bytes now"
	done
	echo "C: packages of $(stat -c %s "$root/dist/$binary.tar.gz") and $(stat -c %s "$root/dist/$source.tar.gz") bytes work"
)

# Makes random calls for STRESS_SECONDS (default: 60) while everything around them fails, half of the time with gcc's address
# and undefined behavior sanitizers, half with its thread sanitizer. STRESS_SEED repeats the choices of a run, though not
# their timing.
stress() (
	seconds=$(((${STRESS_SECONDS:-60} + 1) / 2))
	seed=${STRESS_SEED:-$((RANDOM * 32768 + RANDOM))}
	echo "STRESS_SEED=$seed"
	make -s build/stress-address build/stress-thread
	export TSAN_OPTIONS=suppressions=$PWD/tests/stress/thread.supp
	for sanitizer in address thread; do build/stress-$sanitizer "$seconds" "$seed"; done | tee build/stress
	awk '{ calls += $1; cancels += $3; faults += $5 } END { print "C:", calls, "calls,", cancels, "cancels,", faults, "faults" }' build/stress
)

case ${1:-} in
setup | libextism) "$1" ;;
check | format | test | stress) setup; "$1" ;;
package) setup libextism; package ;;
test-package) setup libextism; test_package ;;
*) echo "usage: tasks.sh setup|check|format|test|package|test-package|stress" >&2; exit 64 ;;
esac
