#!/usr/bin/env bash
# Makes automatic-rostering-VERSION.tgz in ../../dist or in the folder that is passed, with type declarations and the plugin.
# Run setup.sh and make build first.
set -euo pipefail
into=$(realpath -m "${1:-$(dirname "$0")/../../dist}")
cd "$(dirname "$0")"

mkdir -p build "$into"
work=$(mktemp -d build/package.XXXXXX) # here, so that tsc finds the types of Node and Cloudflare
trap 'rm -rf "$work"' EXIT
cp -RL package.json README.md src ../../LICENSE ../../THIRD_PARTY_NOTICES.md "$work" # with the plugin, not the link to it

# declare_types CONFIG FILES EXCLUDED
declare_types() {
	cat >"$work/$1" <<-JSON
		{
		  "extends": "../../$1",
		  "compilerOptions": { "noEmit": false, "declaration": true, "emitDeclarationOnly": true },
		  "include": ["src/$2"],
		  "exclude": [$3]
		}
	JSON
	node_modules/.bin/tsc -p "$work/$1"
}
declare_types tsconfig.json '*.js' '"src/cloudflare.js", "src/inside.workerd.js"'
declare_types tsconfig.workerd.json cloudflare.js ''

chmod -R a+r,u+w "$work"
npm pack --silent --pack-destination "$into" "./$work"
