//go:build tinygo.wasm && !trace

package main

func trace(*host) {}
