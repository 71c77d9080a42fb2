#!/usr/bin/env bash
# Usage: setup.sh WHO...
# As root on Debian, installs what programs.txt lists for WHO and is missing. Prints a line for each WHO that still lacks
# something, and then exits with 69.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

have() { [[ $1 == /* && -e $1 ]] || type -P "$1" >/dev/null; } # not a builtin

# is_there PROGRAM OLDEST
is_there() {
	local version
	case $1 in
	*.pc) pkg-config --exists "${1%.pc} >= ${2/-/0}" ;;
	python3:*) python3 -c "import ${1#*:}" ;;
	perl:*) perl -M"${1#*:}" -e 1 ;;
	php:*) php -r "exit(extension_loaded('${1#*:}') ? 0 : 1);" ;;
	ruby:*) ruby -r"${1#*:}" -e 1 ;;
	*)
		have "$1" || return
		[ "$2" != - ] || return 0
		version=$("$1" --version | sed -n '1s/^[^0-9]*\([0-9.]*\).*/\1/p')
		if [[ $2 == =* ]]; then [ "$2" = "=$version" ]; else printf '%s\n' "$2" "$version" | sort -VC; fi
		;;
	esac 2>/dev/null
}

# missing WHO: the lines of programs.txt for it whose program is not there.
missing() {
	local who program oldest rest
	grep -v '^#' "$here/programs.txt" | while read -r who program oldest rest; do
		[[ ,$who, == *",$1,"* ]] || continue
		is_there "$program" "$oldest" || echo "$program $oldest $rest"
	done
}

# packages: those of the missing lines that it reads.
packages() { awk '$3 != "-" { print $3 }' | tr , '\n' | sort -u; }

# install PACKAGE…: concurrent runs take turns, since apt-get update does not wait for another one.
install() (
	exec 9<"$0"
	flock 9
	echo "as root: apt-get install $*" >&2
	apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
		apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@" >/dev/null
)

# explain WHO LINES
explain() {
	local program oldest packages elsewhere all=''
	while read -r program oldest packages elsewhere; do
		case $oldest in -) ;; =*) program+=" ${oldest#=}" ;; *) program+=" $oldest or newer" ;; esac
		all+="; $program (${elsewhere:-apt-get install ${packages//,/ }})"
	done <<<"$2"
	echo "$1: missing ${all#; }"
}

for who in "$@"; do
	[ "${who%-check}" = go ] || grep -v '^#' "$here/programs.txt" | grep -qE "^([^ ]*,)?${who%-check}[, -]" ||
		{ echo "setup.sh: programs.txt has nothing for $who" >&2; exit 64; }
done
if [ "$(id -u)" = 0 ] && have apt-get; then
	wanted=$(for who in "$@"; do missing "$who"; done | packages)
	# A failure shows below: something is still missing.
	[ -z "$wanted" ] || install $wanted || true
fi
status=0
for who in "$@"; do
	lines=$(missing "$who")
	[ -z "$lines" ] || { explain "$who" "$lines"; status=69; }
done
exit $status
