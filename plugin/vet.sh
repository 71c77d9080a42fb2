#!/usr/bin/env bash
# Usage: vet.sh STATICCHECK
# Vets the files that TinyGo alone compiles, with the ordinary toolchain. Of TinyGo's packages it
# needs the one that Go does not have.
set -euo pipefail
cd "$(dirname "$0")/.."
work=build/vet
mkdir -p $work/device
printf 'module device\n' >$work/device/go.mod
cat >$work/device/device.go <<-EOF
	// Package device stands for that of TinyGo.
	package device

	// Asm is inline assembly.
	func Asm(string) {}
EOF
printf 'go 1.26\nuse ../..\nuse ./device\n' >$work/go.work
export GOWORK=$PWD/$work/go.work
for tags in "" ,nowasi ,poison ,pure; do
	# -unsafeptr=false: the heap is made of addresses.
	GOOS=wasip1 GOARCH=wasm go vet -tags "vet,tinygo.wasm,gc.custom$tags" -unsafeptr=false ./plugin
	# Exports count as unused.
	GOOS=wasip1 GOARCH=wasm "$1" -checks inherit,-U1000 -tags "vet,tinygo.wasm,gc.custom$tags" ./plugin
done
