#!/usr/bin/env bash
# Copies a WebAssembly file and adds a custom section "rostering" with a text of less than 118 bytes: a zero, the
# section's length, the name's length, the name, the text.
set -euo pipefail
name=rostering
length=$((1 + ${#name} + ${#1}))
[ $length -lt 128 ] || { echo "the text is too long: $1" >&2; exit 1; }
cat
printf "\\x00\\x$(printf %02x $length)\\x$(printf %02x ${#name})%s%s" $name "$1"
