#!/usr/bin/env bash
# Usage: each.sh VERB
# Runs `tasks.sh VERB` in the folder of each language, two at a time, since most use one core or wait. JavaScript runs some verbs
# once, and the others for each of its runtimes. HOSTS=python,deno limits it to some; a runtime includes JavaScript itself.
# A language whose tools are missing, which is status 69, is skipped with a line in build/skipped, unless CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."
export verb=$1

# run_task LANGUAGE [RUNTIME]: its output comes in one piece.
run_task() {
	set -euo pipefail
	local status=0 out
	out=$("sdk/$1/tasks.sh" "$verb" ${2:+"$2"} 2>&1) || status=$?
	printf '%s\n' "$verb in sdk/$*: $SECONDS s" ${out:+"$out"}
	if [ $status = 69 ] && [ "${CI:-}" != true ]; then
		echo "skipped: $*"
		grep -qs "^${*: -1}[:-]" build/skipped || echo "${*: -1}: see the output of $verb" >>build/skipped
		return
	fi
	[ $status = 0 ] || exit 255 # xargs starts no other
}
export -f run_task

while read -r folder; do
	[[ -z ${HOSTS:-} || ,$HOSTS, == *",${folder##*/},"* ]] || continue
	case $verb in
	check | format | package) echo "${folder%%/*}" ;;
	*) echo "${folder/\/runtimes\// }" ;;
	esac
done <tools/languages.txt | awk '!seen[$0]++' | xargs -P2 -I{} bash -c 'run_task {}'
