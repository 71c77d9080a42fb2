#!/usr/bin/env bash
# Usage: tasks.sh VERB, or tasks.sh install FOLDER, which builds the library and installs it in that
# folder, by its absolute path.
# TARGET=aarch64-unknown-linux-gnu.2.17 and the like do this for another platform, with
# cargo-zigbuild and zig, or MinGW.
source "$(dirname "$0")/../tasks.sh"
here=$PWD
examples=$root/host-example
abi=${version%.*} # build.rs puts it into the library, too
TARGET=${TARGET:-}
built=../rust/target/${TARGET:+${TARGET%%.*}/}release
arch=${TARGET%%-*}
arch=${arch:-$(uname -m)}
# The library as it is installed, and the name by which programs are linked with it.
case ${TARGET:-$(uname -s)} in
*-windows-*) platform=windows-$arch shared=bin/rostering.dll link=librostering.dll.a ;;
Darwin | *-darwin) platform=macos-$arch shared=lib/librostering.$abi.dylib \
	link=librostering.dylib ;;
*) platform=linux-$arch shared=lib/librostering.so.$abi link=librostering.so ;;
esac
[[ $TARGET != *-musl* ]] || platform+=-musl
sources=rostering-c-$version
binary=$sources-$platform
# Natively with the sanitizers, which watch what the library allocates, too. Clang objects to a
# macro of cmocka.
cc=(gcc) checks=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -Wno-clobbered)
case $TARGET in
'') ;;
*-windows-*) cc=("$arch-w64-mingw32-gcc") ;;
*) cc=(python-zig cc -target "${TARGET/-unknown/}") checks=(-fno-sanitize=undefined \
	-Wno-gnu-zero-variadic-macro-arguments) ;;
esac
strict=(-Wall -Wextra -Wpedantic -Werror)

# install FOLDER: pkg-config and CMake find the library relative to their own files, so that the
# folder can be moved. Rust's setup builds the library with the rest of its workspace. The package
# of the sources has the header.
install() {
	local to=$1 file private number
	../rust/tasks.sh setup
	if [ ! -e build/rostering.h ] || command -v cbindgen >/dev/null; then
		mkdir -p build
		number=$(awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }' "$root/VERSION")
		cbindgen --quiet --config cbindgen.toml . |
			sed "s/@VERSION@/$version/; s/@NUMBER@/$number/" >build/rostering.h
	fi
	mkdir -p "$to"/{bin,include,lib/pkgconfig,lib/cmake/rostering,share/doc/rostering}
	cp build/rostering.h "$to/include"
	archive "$to/lib/librostering.a"
	file=${shared##*/}
	cp -p "$built/${file/.$abi/}" "$to/$shared.new"
	mv "$to/$shared.new" "$to/$shared" # not over the old one, which a process may run
	case $shared in
	bin/*) cp -p "$built/$link" "$to/lib" ;;
	*) ln -sfn "$file" "$to/lib/$link" ;;
	esac
	private=$(sed 's/-lgcc_s/-lgcc_eh/' "$built/librostering.libs") # its static form
	sed "s#@VERSION@#$version#; s#@PRIVATE@#$private#" rostering.pc.in \
		>"$to/lib/pkgconfig/rostering.pc"
	# In the program, in place of the shared library.
	private=$(cat "$built/librostering.libs")
	sed "s#^Name: .*#&-static#; s#-L.*#\${libdir}/librostering.a $private#; /private/d" \
		"$to/lib/pkgconfig/rostering.pc" >"$to/lib/pkgconfig/rostering-static.pc"
	for file in rostering-config{,-version}.cmake; do
		sed "s#@VERSION@#$version#; s#@SHARED@#$shared#" $file.in >"$to/lib/cmake/rostering/$file"
	done
	cp README.md "$examples"/c/jobs.{c,cpp} "$examples"/ffi/jobs.* \
		"$root"/{LICENSE,THIRD_PARTY_NOTICES.md} "$to/share/doc/rostering"
}

# archive FILE: the static library. For this machine's architecture, it becomes one object that
# exports what the header declares, and nothing of Rust's, which another archive made with Rust may
# have, too.
archive() {
	local object=$new/rostering.o names
	if [[ $platform != linux-$(uname -m)* ]]; then
		cp -p "$built/librostering.a" "$1"
		return
	fi
	names=$(declared build/rostering.h)
	ld -r --gc-sections --force-group-allocation $(printf -- '-u %s ' $names) \
		-o "$object" "$built/librostering.a"
	# Without bitcode, which only the compiler of its version reads.
	objcopy --strip-debug -R .llvmbc -R .llvmcmd --wildcard \
		--keep-global-symbol='rostering_*' "$object"
	rm -f "$1"
	ar rcsD "$1" "$object"
}

# declared HEADER: the functions that it declares.
declared() { grep -oE '\brostering_[a-z_]+\(' "$1" | tr -d '(' | sort -u; }

setup() (
	take_turns
	../../tools/setup.sh rust c
	install "$here/build/installed"
	[ -z "$TARGET" ] || exit 0
	make -s -C "$examples/c"
)

# The crate's format and lints are checked with Rust's, in whose workspace it is; setup compiles the
# header as C and as C++.
check() { clang_format --dry-run -Werror; }
format() { clang_format -i; }
clang_format() {
	../../tools/setup.sh c-check
	clang-format --style=file:.clang-format "$@" tests/*.c ../../tests/adapters/c/*.c \
		"$examples"/c/*.{c,cpp}
}

# compile PROGRAM ARGUMENT…: with the installed library.
compile() {
	"${cc[@]}" -std=c11 -D_GNU_SOURCE -g "${strict[@]}" -Wno-unused-parameter "${checks[@]}" "${@:2}" \
		-o "build/$1" -pthread \
		$(PKG_CONFIG_PATH=$here/build/installed/lib/pkgconfig pkg-config --cflags --libs rostering)
}

# Builds the suite's adapter.
adapter() {
	compile adapter ../../tests/adapters/c/*.c -lm $(pkg-config --cflags --libs jansson)
}

# The tests have a certificate, with which a server proves itself, and which it requires of its
# clients.
test() {
	local port
	compile tests tests/tests.c $(pkg-config --cflags --libs cmocka)
	compile fake tests/fake.c
	build/fake
	cd "$new"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test \
		-addext basicConstraints=CA:FALSE \
		-addext subjectAltName=IP:127.0.0.1 -keyout both.pem -out ca.pem 2>/dev/null
	cat ca.pem >>both.pem
	openssl s_server -accept 127.0.0.1:0 -cert both.pem -CAfile ca.pem -Verify 1 -verify_return_error \
		-www >server.log 2>&1 &
	server=$!
	trap 'kill $server 2>/dev/null; rm -rf "$new"' EXIT
	for _ in {1..100}; do
		port=$(sed -n 's/^ACCEPT.*:\([0-9]*\)$/\1/p' server.log)
		[ -z "$port" ] || break
		sleep 0.1
	done
	[ -x "$root/build/sandbox" ] || make -C "$root" build/sandbox
	TLS_URL=https://127.0.0.1:${port:?openssl s_server did not start: $(cat server.log)} \
		timeout 300 "$root/build/sandbox" "$here/build/tests"
}

# pack NAME ARGUMENT…: what these name becomes dist/NAME.tar.gz, with the same bytes wherever and
# whenever this runs.
pack() {
	tar --sort=name --mtime=@1767225600 --mode=u=rwX,go=rX --owner=0 --group=0 --numeric-owner \
		--format=gnu -cf - "${@:2}" |
		gzip -n >"$root/dist/$1.tar.gz"
}

# The library as it is installed; and the part of the repository that `sdk/c/tasks.sh install
# FOLDER` builds it of, with the header.
package() {
	mkdir -p "$root/dist"
	install "$new/$binary"
	pack "$binary" -C "$new" "$binary"
	git -C "$root" ls-files VERSION LICENSE THIRD_PARTY_NOTICES.md tools/setup.sh sdk/tasks.sh \
		sdk/{Cargo.toml,Cargo.lock,c,rust} \
		host-example/{c,ffi,rust} tests/adapters/rust |
		pack "$sources" -C "$root" --transform "s,^,$sources/," sdk/c/build/rostering.h -T -
}

# Uses the package as its users do, outside of the repository; the quick start is a test of
# tests/docs.
test_package() {
	local moved=$new/moved library=$new/moved/$shared documents=$new/moved/share/doc/rostering \
		program newest limit=6500000
	unset LD_LIBRARY_PATH
	cd "$new"
	tar -xzf "$root/dist/$binary.tar.gz"
	mv "$binary" moved # it works in any folder
	export PKG_CONFIG_PATH=$moved/lib/pkgconfig
	[ "$(pkg-config --modversion rostering)" = "$version" ] || fail "pkg-config has another version"
	"${cc[@]}" -std=c11 "${strict[@]}" "$documents/jobs.c" $(pkg-config --cflags --libs rostering) \
		-o shared
	"${cc[@]}" -std=c11 "${strict[@]}" "$documents/jobs.c" $(pkg-config --cflags \
		--libs rostering-static) -o static
	[[ $TARGET != *-musl* ]] ||
		"${cc[@]}" -static "$documents/jobs.c" $(pkg-config --static --cflags --libs rostering) -o static
	! readelf -d static 2>/dev/null | grep -q 'librostering\.so' ||
		fail "rostering-static is linked as a shared library"

	# What it exports, that it stays loaded after dlclose, what it needs of the machine, and its size.
	if [[ $platform == windows-* ]]; then
		objdump -p "$library" | sed -n '/Ordinal.Name Pointer/,/^$/s/.*[0-9a-f]\].* //p' | grep -v '^_' |
			sort >exported
	else
		for program in shared static; do lists_jobs "./$program"; done
		nm -D --defined-only "$library" | sed 's/.* //; s/@.*//' | grep -v '^_' | sort >exported
		readelf -d "$library" | grep -q NODELETE || fail "the shared library can be unloaded"
		readelf -d "$library" | grep -q "SONAME.*\[${shared#lib/}\]" ||
			fail "the shared library has another soname"
		! readelf -d "$library" | grep NEEDED |
			grep -vE 'lib(c|m|gcc_s|pthread|dl|rt|util)\.so|ld-linux' || fail "it needs more than libc"
	fi
	if [[ $TARGET == *-gnu.* ]]; then
		newest=$(readelf -W --version-info "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
		printf '%s\n' "$newest" "GLIBC_${TARGET#*-gnu.}" | sort -VC || fail "it needs $newest"
	fi
	declared moved/include/rostering.h >declared
	diff declared exported || fail \
		"the shared library exports (>) something else than the header declares (<)"
	if [[ $platform == linux-$(uname -m)* ]]; then
		nm -g --defined-only moved/lib/librostering.a | awk 'NF == 3 { print $3 }' | sort >exported
		diff declared exported || fail \
			"librostering.a exports (>) something else than the header declares (<)"
	fi
	! grep -qF -e "$HOME" -e "$root" "$library" || fail "it has a path of this machine"
	[ "$(stat -Lc %s "$library")" -le $limit ] || fail "the shared library is larger than $limit bytes"
	echo "C: the package $binary of $(stat -c %s "$root/dist/$binary.tar.gz") bytes works"
	[ -z "$TARGET" ] || return 0

	mkdir cmake
	cp "$documents/jobs.c" cmake
	cat >cmake/CMakeLists.txt <<-EOF
		cmake_minimum_required(VERSION 3.13)
		project(jobs C)
		find_package(rostering $abi REQUIRED)
		add_executable(program jobs.c)
		target_link_libraries(program rostering::rostering)
	EOF
	MAKEFLAGS='' cmake -S cmake -B cmake/build -DCMAKE_PREFIX_PATH="$moved" >/dev/null
	MAKEFLAGS='' cmake --build cmake/build >/dev/null
	lists_jobs cmake/build/program
	tar -xzf "$root/dist/$sources.tar.gz"
	[ -s "$sources/sdk/c/build/rostering.h" ] || fail "the source package lacks the header"
	cargo metadata --locked --offline --format-version 1 --manifest-path \
		"$sources/sdk/rust/Cargo.toml" >/dev/null ||
		fail "the source package is incomplete"
}

case ${1:-} in
install) install "${2:?usage: tasks.sh install FOLDER}" ;;
check | format) "$1" ;; # which need no library
*) run "$@" ;;
esac
