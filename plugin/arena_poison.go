//go:build tinygo.wasm && gc.custom && poison

package main

import "unsafe"

// poison fills the heap of the last call with a pattern, in a build for tests only: a
// value that outlives its call then reads as garbage, not by luck as what it was.
func poison(start, end uintptr) {
	for p := start; p < end; p++ {
		*(*byte)(unsafe.Pointer(p)) = 0xa5
	}
}
