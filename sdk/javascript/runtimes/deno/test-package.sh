#!/usr/bin/env bash
# Uses the package as a user does, in an empty folder: unpacks it, checks tests/types.ts with it and runs jobs.ts of
# host-example, against the sandbox (make build/sandbox). Run setup.sh and make packages first.
set -euo pipefail
cd "$(dirname "$0")"
source ../../take-package.sh
deno=$(realpath deno)

cp "$root/host-example/deno/jobs.ts" "$sdk/tests/types.ts" "$folder"
cd "$folder"
mkdir automatic-rostering # deno install does not unpack a file
tar xzf "$package" --strip-components=1 -C automatic-rostering
echo '{ "workspace": ["./automatic-rostering"], "nodeModulesDir": "auto" }' >deno.json
export DENO_TLS_CA_STORE=${DENO_TLS_CA_STORE:-mozilla,system} NO_PROXY=127.0.0.1
"$deno" install --quiet --prod
"$deno" check --quiet jobs.ts types.ts
"$root/build/sandbox" "$deno" run --no-prompt --allow-net=127.0.0.1 --allow-read=automatic-rostering \
	--allow-env='ROSTERING_*,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__' jobs.ts >jobs
grep -q sandbox-job-1 jobs
echo "the package $(basename "$package"): installed, checked and run on Deno"
