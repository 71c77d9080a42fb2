#!/usr/bin/env bash
# Uses the package files of package.sh as their users do, outside of the repository; what the quick start of README.md
# does is left to tests/docs. Run setup.sh and package.sh first, and make build/sandbox in the top folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
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
cat >cmake/CMakeLists.txt <<EOF
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
cat >extism.pc <<EOF
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

"$here/package.sh" "$new/again"
for name in "$source" "$binary"; do
	cmp "again/$name.tar.gz" "$root/dist/$name.tar.gz" || fail "$name.tar.gz has other bytes now"
done
echo "C: packages of $(stat -c %s "$root/dist/$binary.tar.gz") and $(stat -c %s "$root/dist/$source.tar.gz") bytes work"
