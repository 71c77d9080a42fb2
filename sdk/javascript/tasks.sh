#!/usr/bin/env bash
# Usage: tasks.sh check|format|package
#        tasks.sh setup|adapter|test|test-package RUNTIME
# RUNTIME is node, deno, bun or workerd; setup and adapter work without one.
source "$(dirname "$0")/../tasks.sh"
bin=$PWD/node_modules/.bin
verb=${1:-} runtime=${2:-}
examples=("$root"/host-example/{node,workerd} "$root/tests/adapters/raw")
folders=("${examples[@]}" "$root/tests/adapters/javascript")
npm_install=(npm install --prefer-offline --no-audit --no-fund --loglevel=error)
# The fetch of Deno and Bun uses the proxy of the environment.
export NO_PROXY=127.0.0.1,${NO_PROXY:-}
export WRANGLER_SEND_METRICS=false WRANGLER_HIDE_BANNER=true WRANGLER_LOG=warn \
	WRANGLER_LOG_PATH=$PWD/build

# Installs what package-lock.json names into node_modules, links that where the examples look for
# the package, and gets the runtime.
setup() (
	take_turns
	"$root/tools/setup.sh" node
	if ! cmp -s package-lock.json node_modules/installed-lock.json; then
		npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
		ln -s .. node_modules/automatic-rostering
		# Last, so that an interrupted install does not count.
		cp package-lock.json node_modules/installed-lock.json
	fi
	for folder in "${examples[@]}"; do
		[ "$folder/node_modules" -ef node_modules ] || ln -sfn "$PWD/node_modules" "$folder/node_modules"
	done
	case $runtime in
	# A second Node, with JSPI, for the raw host, if npm has one for this machine.
	node) program "$(node -p '`node-${process.platform}-${process.arch}`')@25.9.0" '*/bin/node' ||
		true ;;
	# 2.9.5 sends a request twice if the connection closes without a response.
	deno) program deno@2.9.6 '@deno/*/deno' ;;
	bun) program bun@1.4.5 '@oven/*/bin/bun' ;;
	workerd)
		"$bin/workerd" --version >/dev/null && return
		echo "workerd does not run here: it needs glibc 2.35 or newer on Linux, or macOS 13.5" >&2
		exit 69
		;;
	esac
)

# program PACKAGE GLOB: gets npm's package, and links its program that runs here as
# runtimes/NAME/NAME.
program() (
	cd "runtimes/$runtime"
	if [ -e "$runtime" ] && grep -qsx "$1" node_modules/installed; then exit; fi
	npm install --prefix . --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
		--loglevel=error "$1" >/dev/null
	for found in node_modules/$2; do
		if ! "$found" --version >/dev/null 2>&1; then continue; fi
		ln -sfn "$found" "$runtime"
		echo "$1" >node_modules/installed
		exit
	done
	echo "npm's $1 does not run here" >&2
	exit 69
)

# Checks the types of all code, and writes the declarations for TypeScript into types, or into the
# folder that is passed: a file for each export, as Deno looks for no other files next to one.
types() (
	into=${1:-types} declared=$new/declared/sdk/javascript/src
	for config in tsconfig.json tsconfig.workerd.json; do
		"$bin/tsc" -p $config --noEmit false --declaration --emitDeclarationOnly --rootDir "$root" \
			--outDir "$new/declared"
	done
	cp src/wasm.d.ts "$declared"
	rm -rf "$into"
	for name in index cloudflare file-store redis-store wasm; do
		"$bin/rollup" --silent -p dts --external cloudflare:workers -i "$declared/$name.d.ts" \
			-o "$into/$name.d.ts"
	done
)

# Checks format, lint and types, including those of the examples and the suite's adapter, that
# wrangler would deploy the Workers, and that the reference can be made.
check() (
	types "$new/types"
	diff -r types "$new/types" >&2 || fail \
		"types is not what the sources declare: make format, and commit it"
	adapter
	pretty --check
	(cd "$root" && "$bin/eslint" --config sdk/javascript/eslint.config.js \
		--max-warnings 0 sdk/javascript "${folders[@]}")
	"$bin/typedoc" --emit none --logLevel Warn
	"$bin/typedoc" --emit none --logLevel Warn --tsconfig tsconfig.workerd.json \
		--entryPoints src/cloudflare.js
	"$bin/wrangler" deploy --dry-run --config "$root/host-example/workerd/wrangler.jsonc" \
		--outdir "$PWD/build/worker"
)

format() {
	pretty --write
	types
}

pretty() {
	"$bin/prettier" --config package.json --log-level warn "$@" . "${folders[@]}" '!**/*.md' \
		'!../../**/*.md' '!types'
}

# Runs the tests on the runtime.
test() (
	shared=(tests/{client,options,with-token}.test.js)
	case $runtime in
	node) npm test --silent ;;
	deno)
		[ -t 1 ] || export NO_COLOR=1
		runtimes/deno/deno check --quiet runtimes/deno/tests/*.ts
		# The host's name is for pino.
		permissions=(--allow-{read,write,env,run,sys=hostname,net=127.0.0.1})
		runtimes/deno/deno test --no-check "${permissions[@]}" "${shared[@]}" runtimes/deno/tests
		;;
	bun) runtimes/bun/bun --no-install test "${shared[@]/#/./}" ;;
	workerd) node --test runtimes/workerd/tests/*.test.js ;;
	esac
)

# Makes automatic-rostering-VERSION.tgz in dist, or in the folder that is passed: what npm pack
# makes, without what only this repository needs. Deno would install devDependencies, for a
# workspace with the package.
package() (
	mkdir -p "$new/package" "${1:-$root/dist}"
	into=$(cd "${1:-$root/dist}" && pwd)
	cp -R package.json README.md LICENSE THIRD_PARTY_NOTICES.md src types "$new/package"
	npm pkg delete devDependencies prettier scripts --prefix "$new/package"
	chmod -R a+r,u+w "$new/package"
	npm pack --silent --pack-destination "$into" "$new/package"
)

# Installs the package for the suite's adapter, unless it is what is installed. redis is that of
# setup.
adapter() (
	take_turns
	into=build/adapter
	if [ -e $into/installed ] && [ -z "$(find -L src types package.json -newer $into/installed)" ]; \
		then return; fi
	rm -rf $into
	mkdir -p $into
	touch $into/began # a source may change while this runs
	package $into >/dev/null
	echo '{ "private": true }' >$into/package.json
	(cd $into && "${npm_install[@]}" ./*.tgz >/dev/null)
	ln -s ../../../node_modules/redis $into/node_modules/redis
	ln -sfn "$PWD/$into/node_modules" "$root/tests/adapters/javascript/node_modules"
	mv $into/began $into/installed
)

# Uses the package as a user of the runtime does, in an empty folder: compiles a program with it,
# and runs one against the sandbox. That Node runs the quick start is a test of tests/docs.
test_package() (
	sdk=$PWD
	package=$root/dist/automatic-rostering-$version.tgz
	cd "$new"
	echo '{ "private": true, "type": "module" }' >package.json
	"${runtime}_package"
)

# compile TSC OPTION…: the programs here, with the types that setup installs.
compile() {
	"$1" --strict --noEmit --typeRoots "$sdk/node_modules,$sdk/node_modules/@types" "${@:2}" ./*.ts
}

node_package() {
	"${npm_install[@]}" "$package" >/dev/null
	[ "$(ls node_modules)" = automatic-rostering ] || fail "more than the package was installed"
	"${npm_install[@]}" --save-dev typescript@5.2.2 >/dev/null # the oldest
	cp "$sdk/tests/types.ts" .
	# The second module resolution is that of programs which are older than exports in package.json;
	# TypeScript 6 has no such.
	local options=(--exactOptionalPropertyTypes --target es2022 --types node)
	compile "$bin/tsc" "${options[@]}" --module nodenext
	compile node_modules/.bin/tsc "${options[@]}" --module nodenext
	compile node_modules/.bin/tsc "${options[@]}" --module commonjs --moduleResolution node10
	cp "$sdk/tests/bundlers/jobs.mjs" .
	for format in esm cjs; do
		file=bundle.${format/esm/mjs}
		bundled esbuild "$bin/esbuild" jobs.mjs --bundle --format=$format --outfile=$file
		bundled rollup "$bin/rollup" jobs.mjs --plugin \
			"$sdk/node_modules/@rollup/plugin-node-resolve/dist/cjs/index.js" \
			--format=$format --file=$file
	done
	# npm links a copy of this folder, as a clone has it, in place of the package.
	mkdir clone
	(cd "$sdk" && git ls-files -co --exclude-standard -z . | tar --null --ignore-failed-read -cT -) |
		tar -xC clone
	"${npm_install[@]}" ./clone >/dev/null
	[ -L node_modules/automatic-rostering ] || fail "npm did not link the clone"
	compile "$bin/tsc" "${options[@]}" --module nodenext
}

# bundled NAME COMMAND…: a bundler without settings warns of nothing, and what it makes runs in an
# empty folder.
bundled() {
	"${@:2}" >warnings 2>&1 && ! grep -i warn warnings || fail "$1: $(cat warnings)"
	rm -rf empty
	mkdir empty
	mv bundle.* empty
	(cd empty && lists_jobs node ./bundle.*)
}

deno_package() {
	deno=$sdk/runtimes/deno/deno
	rm package.json
	mkdir automatic-rostering # deno install does not unpack a file
	tar xzf "$package" --strip-components=1 -C automatic-rostering
	cp "$root/host-example/node/jobs.js" "$sdk/tests/types.ts" .
	echo '{ "workspace": ["./automatic-rostering"], "nodeModulesDir": "auto" }' >deno.json
	export DENO_TLS_CA_STORE=${DENO_TLS_CA_STORE:-mozilla,system}
	"$deno" install --quiet
	[ "$(cd node_modules/.deno && echo *@*)" = "automatic-rostering@$version" ] ||
		fail "more than the package was installed"
	"$deno" check --quiet types.ts
	lists_jobs "$deno" run --no-prompt --allow-net=127.0.0.1 --allow-env='ROSTERING_*' jobs.js
}

bun_package() {
	bun=$sdk/runtimes/bun/bun
	cp "$root/host-example/node/jobs.js" "$sdk/tests/types.ts" .
	"$bun" add --silent "$package"
	compile "$bin/tsc" --skipLibCheck --target esnext --module preserve --types bun
	lists_jobs "$bun" jobs.js
}

# The adapter of the suite runs on workerd without Wrangler.
workerd_package() {
	cp "$root"/host-example/workerd/*.{ts,jsonc} .
	"${npm_install[@]}" "$package" >/dev/null
	compile "$bin/tsc" --exactOptionalPropertyTypes --skipLibCheck --target es2024 --lib es2024 \
		--module esnext --moduleResolution bundler --types @cloudflare/workers-types
	export CLOUDFLARE_INCLUDE_PROCESS_ENV=true WRANGLER_LOG=info
	lists_jobs bash -c '"$0" dev --port 0 >dev 2>&1 &
		trap "kill $!" EXIT
		for _ in {1..120}; do url=$(grep -om1 "http://localhost[^ ]*" dev) && break || sleep 0.5; done
		curl -s --max-time 30 "$url"' "$bin/wrangler"
}

case $verb:$runtime in
check:* | format:* | package:*) runtime='' ;;
setup: | adapter: | *:node | *:deno | *:bun | *:workerd) ;;
*) echo "name a runtime: node, deno, bun or workerd" >&2; exit 64 ;;
esac
run "$@"
