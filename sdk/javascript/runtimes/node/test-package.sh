#!/usr/bin/env bash
# Takes the package as its user does, in an empty folder: installs, compiles and runs package/jobs.ts, against the
# sandbox (make build/sandbox). Run setup.sh and make packages first.
set -euo pipefail
cd "$(dirname "$0")"
source ../node/take-package.sh
tools=("$(pinned typescript)" "$(pinned @types/node)")

./package.sh "$folder" >/dev/null
cmp "$package" "$folder/$(basename "$package")" || { # made twice, it is the same
	echo "$package is older than its sources: run make packages first" >&2
	exit 1
}
rm "$folder"/*

cp package/* "$folder"
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
install=(npm install --prefer-offline --no-audit --no-fund --loglevel=error)
"${install[@]}" "$package" >/dev/null
installed=$(ls node_modules)
if [ "$installed" != $'automatic-rostering\nextism' ]; then
	echo "more than the package and the SDK was installed: $installed" >&2
	exit 1
fi
"${install[@]}" --save-dev --ignore-scripts "${tools[@]}" >/dev/null
node_modules/.bin/tsc
"$root/build/sandbox" node build/jobs.js >jobs
grep -q sandbox-job-1 jobs
echo "the package $(basename "$package"), $(wc -c <"$package") bytes: installed, compiled and run on Node $(node --version)"
