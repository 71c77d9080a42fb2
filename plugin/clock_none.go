//go:build tinygo.wasm && !pure && nowasi

package main

// now returns 0: the only clock of this build is now in the input.
func now() int64 { return 0 }
