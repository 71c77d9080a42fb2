#!/usr/bin/env bash
# Takes the package as its user does, in an empty folder: installs, checks and runs package/jobs.ts, against the sandbox
# (make build/sandbox). Run setup.sh and make packages first.
set -euo pipefail
cd "$(dirname "$0")"
source ../node/take-package.sh
bun=$(realpath runtime/bun)
tools=("$(pinned typescript)" "$(pinned @types/bun)")

cp package/* ../node/package/types.ts "$folder"
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
export NO_PROXY=127.0.0.1,${NO_PROXY:-}
"$bun" add --silent "$package"
"$bun" add --silent --dev "${tools[@]}"
"$bun" --bun node_modules/.bin/tsc
"$root/build/sandbox" "$bun" jobs.ts >jobs
grep -q sandbox-job-1 jobs
echo "the package $(basename "$package"): installed, checked and run on Bun $("$bun" --version)"
