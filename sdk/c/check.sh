#!/usr/bin/env bash
# Checks the format, gcc's warnings and analyzer, the header and an example as C++, cppcheck. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"

../../tests/setup/setup.sh c-check
examples=../../host-example/c
adapter=../../tests/conformance/hosts/c
sources=(src/*.c tests/*.c "$adapter"/*.c)
alone=(tests/bench/bench.c tests/fake/fake.c tests/stress/stress.c "$examples"/*.c)
read -ra flags <<<"-std=c11 -D_GNU_SOURCE -Iinclude -Isrc -Iextism -Itests $(pkg-config --cflags jansson libcurl libcrypto)"
flags+=(-DROSTERING_WASM='"../../dist/rostering-nowasi.wasm"' -Wall -Wextra -Wno-unused-parameter -Wpedantic -Werror)

for script in ./*.sh "$examples"/*.sh; do bash -n "$script"; done
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
