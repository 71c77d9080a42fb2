//go:build tinygo.wasm && gc.custom

package main

import (
	"device"
	"runtime"
	"unsafe"
)

// Every call starts on an empty stack and an empty heap. Nothing is freed within a
// call, and nothing outlives it: lasting state is in the plugin's vars. So a call that
// ends in a trap, as one with a failed HTTP request does on most hosts, leaves no trace.
// Otherwise the stack pointer would stay where the trap left it, and after some hundred
// traps the plugin would no longer work.

//go:extern __heap_base
var heapBase [0]byte

// top is the first free byte, mark where a call's heap begins: after what package
// initialization allocated.
var top, mark uintptr

// resetStack resets the stack pointer. Every export begins with it; it must be inlined.
//
//go:inline
func resetStack() {
	device.Asm("i32.const __global_base\nglobal.set __stack_pointer")
}

// resetHeap frees what the last call left.
func resetHeap() {
	if mark == 0 {
		initHeap()
		mark = top
	}
	poison(mark, top)
	top = mark
}

//go:linkname initHeap runtime.initHeap
func initHeap() {
	if top == 0 {
		top = align(uintptr(unsafe.Pointer(&heapBase)))
	}
}

//go:linkname alloc runtime.alloc
//go:noinline
func alloc(size uintptr, _ unsafe.Pointer) unsafe.Pointer {
	start := top
	// In 64 bits: the end of a memory of 4 GiB does not fit in 32.
	next, end := (uint64(start)+uint64(size)+15)&^15, uint64(uint32(memorySize(0)))<<pageBits
	if next > end && (next > most || memoryGrow(0, int32((next-end+1<<pageBits-1)>>pageBits)) < 0) {
		device.Asm("unreachable")
	}
	top = uintptr(next)
	memzero(unsafe.Pointer(start), size)
	return unsafe.Pointer(start)
}

// most is the last address at which a heap may end.
const most = 1<<32 - 16

func align(p uintptr) uintptr { return (p + 15) &^ 15 } // of max_align_t

const pageBits = 16

//export llvm.wasm.memory.size.i32
func memorySize(index int32) int32

//export llvm.wasm.memory.grow.i32
func memoryGrow(index, pages int32) int32

//go:linkname memzero runtime.memzero
func memzero(p unsafe.Pointer, size uintptr)

// The rest of what a custom collector must provide; none of it is ever called.

//go:linkname free runtime.free
func free(unsafe.Pointer) {}

//go:linkname markRoots runtime.markRoots
func markRoots(_, _ uintptr) {}

//go:linkname gc runtime.GC
func gc() {}

//go:linkname setFinalizer runtime.SetFinalizer
func setFinalizer(_, _ any) {}

//go:linkname readMemStats runtime.ReadMemStats
func readMemStats(*runtime.MemStats) {}
