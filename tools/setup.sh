#!/usr/bin/env bash
# Usage: setup.sh WHO...
# As root on Debian, installs what WHO lacks: a language, or another name below. Prints a line for
# each WHO that still lacks something, and then exits with 69.
set -euo pipefail
exec 3>&2

have() { (($# == $(type -P "$@" | wc -l))); } # no builtins
newer() { printf '%s\n' "$2" "$("$1" --version | grep -om1 '[0-9][0-9.]*' | head -n 1)" |
	sort -VC; }

# complete WHO: whether all is there that it needs in addition to Go, make and git. Sets Debian's
# packages of that, and where to get what Debian 12 lacks.
complete() {
	elsewhere=''
	case $1 in
	go) packages='' elsewhere=https://go.dev/dl && have go ;;
	python) packages='python3 python3-venv' && newer python3 3.11 && python3 -c 'import ensurepip' ;;
	java) packages='default-jdk-headless maven' && have mvn && newer javac 17 ;;
	node | deno | bun | workerd)
		packages='nodejs npm' elsewhere='Node 20.16 or newer: https://nodejs.org'
		have npm && newer node 20.16
		;;
	rust)
		packages='gcc libc6-dev openssl procps' elsewhere='Rust 1.91 or newer: https://rustup.rs'
		have cargo cc openssl kill && newer rustc 1.91
		;;
	rust-check)
		packages='' elsewhere='rustup component add clippy rustfmt'
		have clippy-driver rustfmt
		;;
	c)
		packages='g++ pkg-config binutils libjansson-dev libcmocka-dev cbindgen cmake'
		have g++ readelf cbindgen && newer cmake 3.13 && pkg-config --exists jansson cmocka
		;;
	c-check) packages=clang-format && have clang-format ;;
	plugin) # other versions of wasm-opt give other bytes
		packages='binaryen g++ lld-19 llvm-19-dev libclang-19-dev' elsewhere='wasm-opt 108, of Debian 12'
		have g++ ld.lld-19 && wasm-opt --version | grep -q 'version 108' &&
			[ -e /usr/lib/llvm-19/include/llvm-c/Core.h ] && [ -e /usr/lib/llvm-19/include/clang-c/Index.h ]
		;;
	redis) packages=redis-server && have redis-server ;;
	postgres) packages=postgresql && have pg_createcluster ;;
	page) packages=chromium && have chromium ;;
	ffi)
		packages='mono-mcs mono-runtime luajit libffi-platypus-perl php-cli php-common'
		packages+=' ruby-ffi ruby-redis'
		have mcs mono luajit && perl -MFFI::Platypus -e 1 && ruby -rffi -rredis -e 1 &&
			php -r 'exit(extension_loaded("FFI") ? 0 : 1);'
		;;
	release) packages='gpg gpg-agent' && have gpg gpg-agent ;;
	scripts) packages=shellcheck && have shellcheck ;;
	*) echo "setup.sh: unknown: $1" >&3 && exit 64 ;;
	esac
}

# Concurrent runs take turns, since apt-get update does not wait for another one. A failure shows
# below.
if [ "$(id -u)" = 0 ] && have apt-get; then
	wanted=$(for who in "$@"; do complete "$who" >&2 || echo "$packages"; done 2>/dev/null)
	if [[ $wanted = *[a-z]* ]]; then
		exec 9<"$0"
		flock 9
		echo "as root: apt-get install" $wanted >&2
		apt-get update -q >/dev/null
		DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes apt-get install -y -q \
			--no-install-recommends \
			-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 $wanted >/dev/null || true
	fi
fi
status=0
for who in "$@"; do
	if complete "$who" >/dev/null 2>&1; then continue; fi
	echo "$who: missing programs${packages:+; apt-get install $packages}${elsewhere:+; $elsewhere}"
	status=69
done
exit $status
