#!/usr/bin/env bash
# Usage: versions.sh host|library NAME, in the folder of its language. Prints what runs a raw host, or a library in its adapter,
# one line each, for docs/hosts.md.
set -euo pipefail

modules() { go env GOVERSION && go list -C ../../tests -f '{{.Path}} {{.Version}}' -m "$@" | sed 's|.*/||'; }
pip() { "$1" -V && "$1" -m pip freeze | sed -nE "s/^($2)==/\1 /p"; }
jar() { basename target/lib/"$1"-[0-9]* .jar | sed "s/^$1-/${2:-$1} /"; }
crates() { sed -nE "/^name = \"($1)\"$/{s/.*\"(.*)\"/\1/; N; s/\nversion = \"(.*)\"/ \1/p}" ../rust/Cargo.lock; }
packages() { for name; do node -p "'$name ' + require('../../node_modules/$name/package.json').version"; done; }
javascript() {
	case $1 in
	deno) ./deno -V ;;
	bun) echo "Bun $(./bun -v)" ;;
	workerd) packages workerd miniflare ;;
	*) "$2" -p '`Node ${process.versions.node}\nundici ${process.versions.undici}`' ;;
	esac
}

case $1:$2 in
host:go) modules github.com/extism/go-sdk github.com/tetratelabs/wazero ;;
library:go) modules github.com/tetratelabs/wazero ;;
host:python) pip .venv/bin/python 'extism(-sys)?' ;;
library:python-*) pip build/adapter/bin/python 'wasmtime|httpx' ;;
host:java) java --version | sed -n '1s/\S* \(\S*\).*/Java \1/p' && jar chicory-sdk-core && jar wasi chicory ;;
library:java*) java --version | sed -n '1s/\S* \(\S*\).*/Java \1/p' && sed -n 's|.*<endive>\(.*\)<.*|endive \1|p' pom.xml ;;
library:rust) rustc -V | cut -d ' ' -f 1,2 && crates 'wasmi|reqwest' ;;
library:c) gcc --version | sed -n '1s/.* /gcc /p' && crates wasmi && sed 's/^/rostering /' ../../VERSION ;;
host:node) javascript node ./node && packages extism ;;
host:*) javascript "$2" node && packages extism ;;
library:*) javascript "$2" node ;;
esac
