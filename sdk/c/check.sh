#!/usr/bin/env bash
# Format, compiler warnings with gcc's analyser, header and example as C++, cppcheck. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"

../../tests/setup/setup.sh c-check
sources=(main.c jobs.c minimal.c rostering/*.c conformance/*.c tests/*.c)
for script in ./*.sh; do bash -n "$script"; done
clang-format --dry-run -Werror "${sources[@]}" jobs.cpp extism/*.h rostering/*.h conformance/*.h tests/*.h
make -s analyse
cppcheck --quiet --std=c11 --enable=warning,style,performance,portability --inline-suppr \
	--library=posix --error-exitcode=1 -Irostering -Iextism "${sources[@]}"
