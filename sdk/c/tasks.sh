#!/usr/bin/env bash
# Usage: tasks.sh setup|check|format|test|adapter|package|test-package, or tasks.sh install FOLDER, which builds the
# library and installs it there. TARGET=aarch64-unknown-linux-gnu.2.17 and the like do this for another platform, with
# cargo-zigbuild and zig, or MinGW. Exits with 69 if something that C needs is missing.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
root=$(cd ../.. && pwd)
examples=$root/host-example
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
abi=${version%.*} # build.rs puts it into the library, too
TARGET=${TARGET:-}
source ../rust/cargo.sh
built=../rust/$release
arch=$(uname -m)
[ -z "$TARGET" ] || arch=${TARGET%%-*}
# The library as it is installed, the name by which programs are linked with it, and what finds it when they run.
case ${TARGET:-$(uname -s)} in
*-windows-*) platform=windows-$arch shared=bin/rostering.dll link=librostering.dll.a no_rpath='s/ -Wl,-rpath.*//' ;;
Darwin | *-darwin) platform=macos-$arch shared=lib/librostering.$abi.dylib link=librostering.dylib no_rpath= ;;
*) platform=linux-$arch shared=lib/librostering.so.$abi link=librostering.so no_rpath= ;;
esac
[[ $TARGET != *-musl* ]] || platform+=-musl
name=rostering-c-$version
binary=$name-$platform
# Natively with the sanitizers, which watch what the library allocates, too. Clang objects to a macro of cmocka.
cc=(gcc) checks=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -Wno-clobbered)
case $TARGET in
'') ;;
*-windows-*) cc=("$arch-w64-mingw32-gcc") ;;
*) cc=(python-zig cc -target "${TARGET/-unknown/}") checks=(-fno-sanitize=undefined -Wno-gnu-zero-variadic-macro-arguments) ;;
esac

# A source package has everything here, and no VERSION above.
if [ -e "$root/VERSION" ]; then
	documents=("$examples"/c/jobs.{c,cpp} "$examples"/ffi/jobs.* "$root"/{LICENSE,THIRD_PARTY_NOTICES.md})
else
	documents=(jobs.* LICENSE THIRD_PARTY_NOTICES.md)
fi

fail() {
	echo "$*" >&2
	exit 1
}

# Makes the header and the library: in the repository, the one that Rust's setup builds with the rest of the workspace. A
# source package has the header and the plugin.
build() {
	local major minor patch
	IFS=. read -r major minor patch <<<"$version"
	if [ ! -e "$root/VERSION" ]; then
		(cd ../rust && with_cargo build --package rostering-c)
		return
	fi
	../rust/tasks.sh setup
	mkdir -p build
	cbindgen --quiet --config cbindgen.toml . |
		sed "s/@VERSION@/$version/; s/@NUMBER@/$((major * 10000 + minor * 100 + patch))/" >build/rostering.h
}

# install FOLDER: pkg-config and CMake find the library relative to their own files, so that the folder can be moved.
install() {
	build
	local to=$1 file private
	mkdir -p "$to"/{bin,include,lib/pkgconfig,lib/cmake/rostering,share/doc/rostering}
	cp build/rostering.h "$to/include"
	cp -p "$built/librostering.a" "$to/lib"
	file=${shared##*/}
	cp -p "$built/${file/.$abi/}" "$to/$shared.new"
	mv "$to/$shared.new" "$to/$shared" # not over the old one, which a process may run
	case $shared in
	bin/*) cp -p "$built/$link" "$to/lib" ;;
	*) ln -sfn "$file" "$to/lib/$link" ;;
	esac
	private=$(sed 's/-lgcc_s/-lgcc_eh/' "$built/librostering.libs") # its static form
	sed "s#@VERSION@#$version#; s#@PRIVATE@#$private#; $no_rpath" rostering.pc.in >"$to/lib/pkgconfig/rostering.pc"
	# In the program, in place of the shared library.
	sed "s#^Name: .*#&-static#; s#-L.*#\${libdir}/librostering.a $(cat "$built/librostering.libs")#; /private/d" \
		"$to/lib/pkgconfig/rostering.pc" >"$to/lib/pkgconfig/rostering-static.pc"
	for file in rostering-config{,-version}.cmake; do
		sed "s#@VERSION@#$version#; s#@SHARED@#$shared#" $file.in >"$to/lib/cmake/rostering/$file"
	done
	cp README.md "${documents[@]}" "$to/share/doc/rostering"
}

setup() {
	../../tools/setup.sh rust c c-test
	exec 9<Cargo.toml
	if command -v flock >/dev/null; then flock 9; fi # concurrent runs take turns
	install "$here/build/installed"
	[ -n "$TARGET" ] || make -s -C "$examples/c"
}

# The crate's format and lints are checked with Rust's, in whose workspace it is.
check() {
	../../tools/setup.sh c-check
	local strict=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only build/rostering.h)
	clang-format --style=file:.clang-format --dry-run -Werror tests/*.c ../../tests/adapters/c/*.c "$examples"/c/*.{c,cpp}
	gcc -std=c11 -x c "${strict[@]}"
	g++ -std=c++17 -x c++ "${strict[@]}"
}

format() {
	../../tools/setup.sh c-check
	clang-format --style=file:.clang-format -i tests/*.c ../../tests/adapters/c/*.c "$examples"/c/*.{c,cpp}
}

# compile PROGRAM ARGUMENT…: with the installed library.
compile() {
	"${cc[@]}" -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Wpedantic -Werror -Wno-unused-parameter \
		"${checks[@]}" "${@:2}" -o "build/$1" -pthread \
		$(PKG_CONFIG_PATH=$here/build/installed/lib/pkgconfig pkg-config --cflags --libs rostering)
}

# Builds the suite's adapter.
adapter() {
	compile adapter ../../tests/adapters/c/*.c -lm $(pkg-config --cflags --libs jansson)
}

run_tests() {
	compile tests tests/tests.c $(pkg-config --cflags --libs cmocka)
	compile fake tests/fake.c
	tests/run.sh
	build/fake
}

pack() {
	chmod -R u=rwX,go=rX "$stage/$1"
	tar --sort=name --mtime=@1767225600 --owner=0 --group=0 --numeric-owner --format=gnu -C "$stage" -cf - "$1" |
		gzip -n >"$stage/$1.tar.gz"
	mv "$stage/$1.tar.gz" "${DIST:-$root/dist}"
}

# The library as it is installed; and the sources of it and of the crate, which `c/tasks.sh install FOLDER` builds.
package() {
	umask 022
	mkdir -p "${DIST:-$root/dist}"
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT
	install "$stage/$binary"
	pack "$binary"
	mkdir -p "$stage/$name"/{c,rust}
	cp -r Cargo.toml Makefile build.rs tasks.sh README.md ./*.in src "$stage/$name/c"
	mkdir "$stage/$name/c/build"
	cp build/rostering.h "$stage/$name/c/build"
	cp "${documents[@]}" "$stage/$name/c"
	cp -r ../rust/{Cargo.lock,README.md,cargo.sh,src,rostering-nowasi.wasm} "$stage/$name/rust"
	sed 's#^members = .*#members = [".", "../c"]#' ../rust/Cargo.toml >"$stage/$name/rust/Cargo.toml"
	# The lock file without the programs of the repository.
	cargo metadata --offline --format-version 1 --manifest-path "$stage/$name/rust/Cargo.toml" >/dev/null
	pack "$name"
}

# test_program COMMAND…: it lists the jobs of the sandbox.
test_program() {
	env -u LD_LIBRARY_PATH "$root/build/sandbox" "$@" >shown 2>&1 || fail "$* failed: $(cat shown)"
	grep -q '"jobs":\[{"id":"sandbox-job-1"' shown || fail "$* listed no jobs: $(cat shown)"
}

# Uses the package as its users do, outside of the repository; the quick start is a test of tests/docs.
test_package() {
	local strict=(-Wall -Wextra -Wpedantic -Werror) moved documents library program newest limit=6000000
	new=$(mktemp -d)
	trap 'rm -rf "$new"' EXIT
	cd "$new"
	tar -xzf "$root/dist/$binary.tar.gz"
	mv "$binary" moved # it works in any folder
	moved=$new/moved
	library=$moved/$shared
	documents=$moved/share/doc/rostering
	export PKG_CONFIG_PATH=$moved/lib/pkgconfig
	[ "$(pkg-config --modversion rostering)" = "$version" ] || fail "pkg-config has another version"
	"${cc[@]}" -std=c11 "${strict[@]}" "$documents/jobs.c" $(pkg-config --cflags --libs rostering) -o shared
	"${cc[@]}" -std=c11 "${strict[@]}" "$documents/jobs.c" $(pkg-config --cflags --libs rostering-static) -o static
	[[ $TARGET != *-musl* ]] ||
		"${cc[@]}" -static "$documents/jobs.c" $(pkg-config --static --cflags --libs rostering) -o static
	! readelf -d static 2>/dev/null | grep -q 'librostering\.so' || fail "rostering-static is linked as a shared library"

	# What it exports, that it stays loaded after dlclose, what it needs of the machine, and its size.
	if [[ $platform == windows-* ]]; then
		limit=6500000
		objdump -p "$library" | sed -n '/Ordinal.Name Pointer/,/^$/s/.*[0-9a-f]\].* //p' | sort >exported
	else
		for program in shared static; do test_program "./$program"; done
		nm -D --defined-only "$library" | sed 's/.* //; s/@.*//' | grep -v '^_' | sort >exported
		readelf -d "$library" | grep -q NODELETE || fail "the shared library can be unloaded"
		readelf -d "$library" | grep -q "SONAME.*\[${shared#lib/}\]" || fail "the shared library has another soname"
		! readelf -d "$library" | grep NEEDED | grep -vE 'lib(c|m|gcc_s|pthread|dl|rt|util)\.so|ld-linux' || fail "it needs more than libc"
	fi
	if [[ $TARGET == *-gnu.* ]]; then
		newest=$(readelf -W --version-info "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
		printf '%s\n' "$newest" "GLIBC_${TARGET#*-gnu.}" | sort -VC || fail "it needs $newest"
	fi
	grep -oE '\brostering_[a-z_]+\(' moved/include/rostering.h | tr -d '(' | sort -u >declared
	diff declared exported || fail "the shared library exports (>) something else than the header declares (<)"
	! grep -q "$HOME" "$library" || fail "it has a path of this machine"
	[ "$(stat -Lc %s "$library")" -le $limit ] || fail "the shared library is larger than $limit bytes"
	[ -n "$TARGET" ] || test_sources
	echo "C: the package $binary of $(stat -c %s "$root/dist/$binary.tar.gz") bytes works"
}

# C++, CMake, the source package, and tasks.sh install with a folder that is relative.
test_sources() {
	g++ -std=c++17 "${strict[@]}" "$documents/jobs.cpp" $(pkg-config --cflags --libs rostering) -o in_cpp
	test_program ./in_cpp
	mkdir cmake
	cp "$documents/jobs.c" cmake
	cat >cmake/CMakeLists.txt <<-EOF
		cmake_minimum_required(VERSION 3.13)
		project(jobs C)
		find_package(rostering ${version%.*} REQUIRED)
		add_executable(program jobs.c)
		target_link_libraries(program rostering::rostering)
	EOF
	MAKEFLAGS='' cmake -S cmake -B cmake/build -DCMAKE_PREFIX_PATH="$moved" >/dev/null
	MAKEFLAGS='' cmake --build cmake/build >/dev/null
	test_program cmake/build/program
	"$here/tasks.sh" install relative
	[ -e relative/include/rostering.h ] || fail "tasks.sh install relative installed it elsewhere"
	tar -xzf "$root/dist/$name.tar.gz"
	cargo metadata --locked --offline --format-version 1 --manifest-path "$name/rust/Cargo.toml" >/dev/null || fail "the source package is incomplete"
}

case ${1:-} in
setup) setup ;;
check | format) setup; "$1" ;;
test) setup; run_tests ;;
adapter) setup; adapter ;;
package) ../../tools/setup.sh rust c; package ;;
test-package) test_package ;;
install)
	cd "$OLDPWD" # the caller's folder
	mkdir -p "${2:?usage: tasks.sh install FOLDER}"
	to=$(cd "$2" && pwd)
	cd "$here"
	install "$to"
	;;
*)
	echo "usage: tasks.sh setup|check|format|test|adapter|package|test-package|install FOLDER" >&2
	exit 64
	;;
esac
