#!/usr/bin/env bash
# Uses the package as a user does, in an empty folder: installs it, compiles tests/types.ts with it and runs jobs.ts of
# host-example, against the sandbox (make build/sandbox). Run setup.sh and make packages first.
set -euo pipefail
cd "$(dirname "$0")"
source ../../take-package.sh
bun=$(realpath bun)
tools=("$(pinned typescript)" "$(pinned @types/bun)")

cp "$root/host-example/bun/jobs.ts" "$sdk/tests/types.ts" "$folder"
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
export NO_PROXY=127.0.0.1,${NO_PROXY:-}
"$bun" add --silent "$package"
"$bun" add --silent --dev "${tools[@]}"
"$bun" --bun node_modules/.bin/tsc --strict --noEmit --skipLibCheck --target esnext --module preserve --types bun ./*.ts
"$root/build/sandbox" "$bun" jobs.ts >jobs
grep -q sandbox-job-1 jobs
echo "the package $(basename "$package"): installed, compiled and run on Bun $("$bun" --version)"
