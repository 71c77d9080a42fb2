#!/usr/bin/env bash
# check.sh makes cargo run this instead of rustc: clippy, and for the library also rustdoc.
set -euo pipefail
clippy-driver "$@"
[ "${3:-}" = automatic_rostering ] || exit 0 # lint.sh rustc --crate-name automatic_rostering …
rustdoc=()
for argument in "${@:2}"; do
	case $argument in
	--emit=* | *clippy::*) ;; # not for rustdoc
	/*/debug/deps) rustdoc+=("${argument%debug/deps}doc") ;; # of --out-dir
	*) rustdoc+=("$argument") ;;
	esac
done
exec rustdoc -D warnings "${rustdoc[@]}"
