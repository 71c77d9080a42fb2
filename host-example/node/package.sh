#!/usr/bin/env bash
# Makes build/automatic-rostering-VERSION.tgz of the folder rostering, with declarations of its types and with the plugin
# inside. Run setup.sh first.
set -euo pipefail
cd "$(dirname "$0")"
rm -rf build
mkdir build
cp -RL rostering build/package # with the plugin in place of the link to it
echo '{"extends":"../tsconfig.json","compilerOptions":{"noEmit":false,"declaration":true,"emitDeclarationOnly":true},"include":["package"]}' >build/tsconfig.json
node_modules/.bin/tsc -p build/tsconfig.json
npm pack --silent --pack-destination build ./build/package
