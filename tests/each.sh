#!/usr/bin/env bash
# Usage: each.sh SCRIPT
# Runs SCRIPT in each folder of sdk that has it, after `setup.sh SCRIPT`. HOSTS=python,deno limits it to some; a
# runtime of JavaScript includes JavaScript itself. A folder whose tools are missing, which is status 69, is skipped with a
# line in build/skipped, unless CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
script=$1
mapfile -t folders < <(echo go; echo javascript; sed -n 's/.*"folder": "\(.*\)".*/\1/p' tests/conformance/hosts/languages.json)

wanted() {
	local name=${1##*/}
	[[ -z ${HOSTS:-} || ,$HOSTS, == *",$name,"* ]] && return
	[ "$name" = javascript ] && [[ $HOSTS =~ node|deno|bun|workerd ]]
}

for folder in "${folders[@]}"; do
	[ -e "sdk/$folder/$script" ] && wanted "$folder" || continue
	echo "$script in sdk/$folder"
	status=0
	tests/timed.sh "sdk/$folder/$script" bash -c 'cd "$1"; [ ! -e setup.sh ] || ./setup.sh "$2" && "./$2"' - "sdk/$folder" "$script" || status=$?
	if [ $status = 69 ] && [ "${CI:-}" != true ]; then
		echo "skipped: $folder"
		grep -qs "^${folder##*/}[:-]" build/skipped || echo "${folder##*/}: see the output of $script" >>build/skipped
		continue
	fi
	[ $status = 0 ] || exit $status
done
