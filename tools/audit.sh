#!/usr/bin/env bash
# Usage: audit.sh FOLDER-OF-A-GO-MODULE...
# Looks up the dependencies of these modules and of the libraries in the databases of known vulnerabilities of Go, npm,
# PyPI and RustSec. It fails if it finds one. It names a database that is out of reach, and continues.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/build/audit
mkdir -p "$tools"
status=0

# audit NAME COMMAND...
audit() {
	local log=$tools/log
	if "${@:2}" >"$log" 2>&1; then
		echo "$1: no known vulnerability"
	elif grep -qE '[1-9][0-9]* ([a-z]+ )*vulnerabilit' "$log"; then
		cat "$log"
		echo "$1: see above"
		status=1
	else
		echo "$1: not audited: $(grep -m 1 -iwE 'error|fatal|fetching|not' "$log" || tail -n 1 "$log")"
	fi
}

in_python() {
	[ -x "$tools/python/bin/pip-audit" ] ||
		{ python3 -m venv "$tools/python" && "$tools/python/bin/python" -m pip install --quiet pip-audit==2.10.1; } || return
	"$tools/python/bin/pip-audit" --strict --disable-pip --require-hashes --progress-spinner off -r sdk/python/requirements.txt
}
in_rust() {
	# Compiling cargo-audit takes minutes, and without the database it is useless.
	git ls-remote --exit-code https://github.com/RustSec/advisory-db HEAD || return
	[ -x "$tools/bin/cargo-audit" ] || cargo install --quiet --locked --root "$tools" cargo-audit@0.22.2 || return
	"$tools/bin/cargo-audit" audit --file sdk/rust/Cargo.lock
}

for module in "$@"; do audit "go, $module" go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -C "$module" ./...; done
audit javascript npm audit --prefix sdk/javascript
audit python in_python
audit rust in_rust
exit $status
