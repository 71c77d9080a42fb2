#!/usr/bin/env bash
# Usage: bundle.sh vite|webpack|next-webpack|next-turbopack|bun|deno FOLDER
# Bundles the programs of tests/bundlers without settings for the package, and runs them in an empty
# folder. FOLDER has node_modules with the package and the bundlers.
source "$(dirname "$0")/../tasks.sh"
runtimes=$PWD/runtimes project=$2
export NEXT_TELEMETRY_DISABLED=1 DENO_TLS_CA_STORE=${DENO_TLS_CA_STORE:-mozilla,system}
rm -rf "$project"/{out,.next,app}
cp -R tests/bundlers/. "$project"
cd "$project"

# in_empty FOLDER COMMAND…: the command, in a folder with nothing but the bundle.
in_empty() {
	mv "$1" "$new/empty"
	cd "$new/empty"
	lists_jobs "${@:2}"
}

# Vite bundles no packages for Node, unless it is told to.
vite() {
	npx vite build --ssr jobs.mjs --outDir out
	lists_jobs node out/jobs.js
	echo 'export default { ssr: { noExternal: true } };' >out/config.mjs
	npx vite build --config out/config.mjs --ssr jobs.mjs --outDir out/all
	in_empty out/all node jobs.js
}

webpack() {
	npx webpack --mode production --entry ./jobs.mjs --output-path out
	in_empty out node main.js
}

next_turbopack() { next turbopack / /jobs /edge; }

# Next.js 16.4 builds no route of the edge runtime with webpack, with the package or without.
next_webpack() {
	rm -r app/edge
	next webpack / /jobs
}

# next BUNDLER PATH…: each path of its server responds with the jobs.
next() {
	npx next build "--$1"
	export HOSTNAME=127.0.0.1 PORT
	PORT=$(node -e 's = net.createServer().listen(0, () => {
		console.log(s.address().port);
		s.close();
	})')
	for path in "${@:2}"; do
		rm -rf "$new/empty"
		cp -R .next/standalone "$new/empty"
		(cd "$new/empty" && lists_jobs bash -c 'node server.js >log 2>&1 &
			trap "kill $!" EXIT
			curl -s --max-time 30 --retry 30 --retry-delay 1 --retry-connrefused \
				"http://127.0.0.1:$PORT$0"' "$path")
	done
}

bun() {
	"$runtimes/bun/bun" build --compile jobs.mjs --outfile out/jobs
	in_empty out ./jobs
}

deno() {
	"$runtimes/deno/deno" bundle jobs.mjs --output out/jobs.js
	in_empty out "$runtimes/deno/deno" run --no-prompt --allow-net=127.0.0.1 \
		--allow-env='ROSTERING_*' jobs.js
}

"${1/-/_}"
