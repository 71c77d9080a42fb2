# Sourced by sdk/LANG/tasks.sh, which then runs the verb that it is called with: a function of that
# name.
# shellcheck shell=bash disable=SC2034 # what those use
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd -P)
version=$(cat "$root/VERSION")
new=$(mktemp -d) # removed at the end
trap 'rm -rf "$new"' EXIT

fail() {
	echo "$*" >&2
	exit 1
}

# Makes concurrent runs take turns, until this one ends.
take_turns() {
	exec 9<tasks.sh
	if command -v flock >/dev/null; then flock 9; fi
}

# lists_jobs COMMAND…: it prints jobs of the sandbox.
lists_jobs() {
	"$root/build/sandbox" "$@" >"$new/jobs" 2>&1 && grep -q sandbox-job-1 "$new/jobs" ||
		fail "$* listed no jobs: $(cat "$new/jobs")"
}

# Each verb begins with setup, which exits with 69 if something is missing.
run() {
	case ${1:-} in
	setup) setup ;;
	check | format | test | package | test-package | adapter) setup; "${1/-/_}" "${@:2}" ;;
	*) echo "usage: tasks.sh setup|check|format|test|package|test-package|adapter" >&2; exit 64 ;;
	esac
}
