#!/usr/bin/env bash
# Gets libextism into lib, Debian's packages if they are missing, and builds the library, the examples and the adapter.
set -euo pipefail
cd "$(dirname "$0")"

# Several runs at once take turns.
exec 9<requirements.txt
if command -v flock >/dev/null; then flock 9; fi

build_needs=(gcc libc6-dev make pkg-config libjansson-dev libcurl4-openssl-dev libcmocka-dev python3 python3-pip)
check_needs=(clang-format cppcheck g++)

have() { command -v "$1" >/dev/null; }

can_build() {
	have gcc && have make && have pkg-config && pkg-config --exists jansson cmocka "libcurl >= 7.85" &&
		{ [ -e lib/libextism.so ] || python3 -m pip --version >/dev/null 2>&1; }
}

can_check() { have clang-format && have cppcheck && have g++; }

can_install() { [ "$(id -u)" = 0 ] && have apt-get; }

install_packages() {
	echo "installing Debian's $*" >&2
	apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
		apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >/dev/null
}

if can_install; then
	can_build || install_packages "${build_needs[@]}"
	can_check || install_packages "${check_needs[@]}"
elif ! can_build; then
	echo "the C example needs: apt-get install ${build_needs[*]}" >&2
	exit 69
fi
./libextism.sh
make -s all programs
