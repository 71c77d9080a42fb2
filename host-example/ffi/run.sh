#!/usr/bin/env bash
# Usage: run.sh csharp|luajit|perl|php|ruby|host
# Runs a program of this folder, with the ROSTERING_* variables set. `sdk/c/tasks.sh setup` builds the library.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LD_LIBRARY_PATH=$here/../../sdk/c/build/installed/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
case ${1:-} in
csharp)
	program=$here/build/jobs.exe
	mkdir -p "$here/build"
	[ "$program" -nt "$here/jobs.cs" ] || mcs -out:"$program" "$here/jobs.cs"
	exec mono "$program"
	;;
luajit) exec luajit "$here/jobs.lua" ;;
perl) exec perl "$here/jobs.pl" ;;
php) exec php -d ffi.enable=1 "$here/jobs.php" ;;
host) LIBEXTISM=$here/../c/build/libextism.so exec ruby "$here/host.rb" "$here/../../dist/rostering.wasm" ;;
ruby) exec ruby "$here/jobs.rb" ;;
*)
	echo "unknown language ${1:-}: use csharp, luajit, perl, php, ruby or host" >&2
	exit 64
	;;
esac
