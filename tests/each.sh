#!/usr/bin/env bash
# Usage: each.sh SCRIPT
# Runs SCRIPT in each folder of sdk that has it, after `setup.sh SCRIPT`: two at a time, since most use one core or
# wait. HOSTS=python,deno limits it to some; a runtime of JavaScript includes JavaScript itself. A folder whose tools are
# missing, which is status 69, is skipped with a line in build/skipped, unless CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
export script=$1

wanted() {
	local name=${1##*/}
	[[ -z ${HOSTS:-} || ,$HOSTS, == *",$name,"* ]] && return
	[ "$name" = javascript ] && [[ $HOSTS =~ node|deno|bun|workerd ]]
}

# in_folder FOLDER: its output comes in one piece.
in_folder() {
	set -euo pipefail
	local status=0 out
	out=$(tests/timed.sh "sdk/$1/$script" bash -c 'cd "$1"; [ ! -e setup.sh ] || ./setup.sh "$2" && "./$2"' - "sdk/$1" "$script" 2>&1) || status=$?
	printf '%s\n' "$script in sdk/$1" ${out:+"$out"}
	if [ $status = 69 ] && [ "${CI:-}" != true ]; then
		echo "skipped: $1"
		grep -qs "^${1##*/}[:-]" build/skipped || echo "${1##*/}: see the output of $script" >>build/skipped
		return
	fi
	[ $status = 0 ] || exit 255 # xargs starts no other
}
export -f in_folder

# Rust first, whose build takes longest.
for folder in rust go javascript $(sed -n 's/.*"folder": "\(.*\)".*/\1/p' tests/conformance/hosts/languages.json | grep -vx rust); do
	[ -e "sdk/$folder/$script" ] && wanted "$folder" || continue
	echo "$folder"
done | xargs -r -P2 -I{} bash -c 'in_folder {}'
