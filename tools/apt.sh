#!/usr/bin/env bash
# Usage: apt.sh PACKAGE...
# Installs the Debian packages that are missing. If it may not, it names them and fails.
set -euo pipefail

# Concurrent runs take turns: apt-get update does not wait for another one.
exec 9<"$0"
flock 9

missing=()
for package in "$@"; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" != 0 ]; then
	echo "not root: please install, then try again: apt-get install ${missing[*]}" >&2
	exit 1
fi
echo "as root: apt-get install ${missing[*]}" >&2
apt-get update -q >/dev/null
DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes \
	apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "${missing[@]}" >/dev/null
