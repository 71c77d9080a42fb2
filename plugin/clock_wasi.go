//go:build tinygo.wasm && !pure && !nowasi

package main

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 clock_time_get
func clockTimeGet(id uint32, precision uint64, nanoseconds unsafe.Pointer) uint32

// now returns the time of the host's clock in Unix seconds, or 0 if it cannot be read.
func now() int64 {
	const realtime, second = 0, 1e9
	var nanoseconds uint64
	if clockTimeGet(realtime, second, unsafe.Pointer(&nanoseconds)) != 0 {
		return 0
	}
	return int64(nanoseconds / second)
}
