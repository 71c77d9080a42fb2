#!/usr/bin/env bash
# Usage: run.sh LANG PROGRAM
# Runs a program of a language, of a runtime of JavaScript, or of ffi, with the ROSTERING_*
# variables. The language's tasks.sh setup in sdk gets what it needs; that of Python has libextism
# for `c minimal` and `ffi host`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${here%/*}
sdk=$root/sdk
program=${2:-}
[ "$program" != minimal ] || export ROSTERING_WASM=${ROSTERING_WASM:-$root/plugin/rostering.wasm}
case ${1:-}:$program in
c:*)
	[ "$program" != minimal ] || MAKEFLAGS='' make -s -C "$here/c" build/minimal
	exec "$here/c/build/$program"
	;;
go:*)
	# go run builds into its cache, which several runs at once can share. The second one prints the
	# path of the program instead of running it, so that exec can replace this process by the program.
	go -C "$here/go" run -exec true "./$program"
	exec "$(go -C "$here/go" run -exec echo "./$program")"
	;;
java:*)
	classes=$sdk/java/target
	exec java -cp "$classes/test-classes:$classes/classes:$classes/lib/*" \
		"demo.$(tr a-z A-Z <<<"${program:0:1}")${program:1}"
	;;
spring:*) exec java -jar "$here/spring/target/spring-1.jar" ;;
node:*) exec node --disable-warning=ExperimentalWarning "$here/node/$program.js" ;;
deno:*) # with the permissions that jobs and minimal need; the last two variables are the SDK's
	exec "$sdk/javascript/runtimes/deno/deno" run --no-prompt --no-check --allow-net \
		--allow-read="$sdk/javascript,$root/plugin" \
		--allow-env='ROSTERING_*,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__' \
		"$here/node/$program.js"
	;;
bun:*) exec "$sdk/javascript/runtimes/bun/bun" --no-install "$here/node/$program.js" ;;
workerd:*) exec node "$here/workerd/run.js" "$program" ;;
python:*) exec "$sdk/python/.venv/bin/python" "$here/python/$program.py" ;;
rust:*) exec "$sdk/rust/target/release/$program" ;;
ffi:host)
	library=$(echo "$sdk"/python/.venv/lib/python3*/site-packages/extism_sys/*.so)
	LIBEXTISM=$library exec ruby "$here/ffi/host.rb" "$root/plugin/rostering.wasm"
	;;
ffi:*) ;;
*) echo "usage: run.sh c|go|java|spring|node|deno|bun|workerd|python|rust|ffi PROGRAM" >&2 &&
	exit 64 ;;
esac
export LD_LIBRARY_PATH=$sdk/c/build/installed/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cd "$here/ffi"
case $program in
csharp)
	mkdir -p build
	[ build/jobs.exe -nt jobs.cs ] || mcs -out:build/jobs.exe jobs.cs
	exec mono build/jobs.exe
	;;
luajit) exec luajit jobs.lua ;;
perl) exec perl jobs.pl ;;
php) exec php -d ffi.enable=1 jobs.php ;;
ruby) exec ruby jobs.rb ;;
*) echo "unknown program $program: use csharp, luajit, perl, php, ruby or host" >&2 && exit 64 ;;
esac
