#!/usr/bin/env bash
# Uses the package as a user does, in an empty folder: installs it, compiles tests/types.ts with it, and runs a program that
# esbuild has bundled, against the sandbox (make build/sandbox); the test of the quick start runs one unbundled. Run setup.sh and
# make packages first.
set -euo pipefail
cd "$(dirname "$0")"
source ../../take-package.sh
tools=("$(pinned typescript)" "$(pinned @types/node)" "$(pinned esbuild)")

"$sdk/package.sh" "$folder" >/dev/null
cmp "$package" "$folder/$(basename "$package")" || { # packed twice, it is the same
	echo "$package is older than its sources: run make packages first" >&2
	exit 1
}
rm "$folder"/*

cp "$sdk"/tests/{types,bundled}.ts "$folder"
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
node_modules/.bin/tsc --strict --exactOptionalPropertyTypes --noEmit --target es2022 --module nodenext --types node ./*.ts

# Bundled to CommonJS, which is esbuild's default for Node, and to a module.
for format in cjs esm; do
	node_modules/.bin/esbuild bundled.ts --bundle --platform=node --target=node20 --format=$format --loader:.wasm=binary \
		--log-level=error --outfile=bundled-$format/index.js
	echo "{ \"type\": \"$([ $format = esm ] && echo module || echo commonjs)\" }" >bundled-$format/package.json
	"$root/build/sandbox" node --disable-warning=ExperimentalWarning bundled-$format/index.js >jobs
	grep -q sandbox-job-1 jobs
done
echo "the package $(basename "$package"), $(wc -c <"$package") bytes: installed, compiled, bundled and run on Node $(node --version)"
