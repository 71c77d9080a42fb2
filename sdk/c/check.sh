#!/usr/bin/env bash
# Format, gcc's warnings and analyzer, the header and an example as C++, cppcheck. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"

../../tests/setup/setup.sh c-check
examples=../../host-example/c
adapter=../../tests/conformance/hosts/c
sources=(src/*.c tests/*.c "$adapter"/*.c "$examples"/*.c)
read -ra flags <<<"-std=c11 -D_GNU_SOURCE -Iinclude -Isrc -Iextism $(pkg-config --cflags jansson libcurl)"
flags+=(-DROSTERING_WASM='"../../dist/rostering-nowasi.wasm"' -Wall -Wextra -Wpedantic -Werror)

for script in ./*.sh "$examples"/*.sh; do bash -n "$script"; done
clang-format --style=file:.clang-format --dry-run -Werror "${sources[@]}" "$examples"/jobs.cpp \
	include/*.h src/*.h tests/*.h extism/*.h "$adapter"/*.h
for source in "${sources[@]}"; do gcc "${flags[@]}" -O2 -fanalyzer -c "$source" -o /dev/null; done
for source in "$examples"/jobs.cpp include/rostering.h; do
	g++ -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ "$source"
done
cppcheck --quiet --std=c11 --enable=warning,style,performance,portability --inline-suppr \
	--library=posix --error-exitcode=1 -Iinclude -Isrc -Iextism "${sources[@]}"
