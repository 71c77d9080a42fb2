//go:build tinygo.wasm && gc.custom && poison

package main

import "unsafe"

// poison fills the heap of the last call with a pattern, in the build for tests
// alone: a value that outlives its call then shows as nonsense, not by luck as
// what it was.
func poison(start, end uintptr) {
	for p := start; p < end; p++ {
		*(*byte)(unsafe.Pointer(p)) = 0xa5
	}
}
