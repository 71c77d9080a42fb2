//go:build tinygo.wasm && pure

// The plugin for hosts without Extism, which imports nothing: see docs/contract.md.
package main

import (
	"unsafe"

	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/pure"
	"automatic-rostering.example/rostering/plugin/core/service"
	"automatic-rostering.example/rostering/plugin/core/version"
)

func main() {}

// written is where the host writes the state and the input. It belongs to one call, as the heap.
var written []byte

// room begins a call, and returns where the host writes this many bytes.
//
//export room
func room(size uint32) unsafe.Pointer {
	resetStack()
	resetHeap()
	written = make([]byte, uint64(size)+1)[:size]
	return unsafe.Pointer(unsafe.SliceData(written))
}

//export configure
func configure(state, input uint32) unsafe.Pointer { return call(pure.Configure, state, input) }

//export begin
func begin(state, input uint32) unsafe.Pointer { return call(flow.Begin, state, input) }

//export resume
func resume(state, input uint32) unsafe.Pointer { return call(flow.Resume, state, input) }

//export request
func request(state, input uint32) unsafe.Pointer { return call(service.Request, state, input) }

//export explain
func explain(state, input uint32) unsafe.Pointer { return call(service.Explain, state, input) }

//export status
func status(state, input uint32) unsafe.Pointer { return call(flow.Status, state, input) }

//export set_token
func setToken(state, input uint32) unsafe.Pointer { return call(flow.SetToken, state, input) }

//export clear_token
func clearToken(state, input uint32) unsafe.Pointer { return call(flow.ClearToken, state, input) }

//export check
func check(state, input uint32) unsafe.Pointer { return call(config.Check, state, input) }

//export version
func getVersion(state, input uint32) unsafe.Pointer { return call(version.Version, state, input) }

// call calls an export with the state and the input that the host wrote. It returns where the
// result is.
func call(export pure.Export, state, input uint32) unsafe.Pointer {
	r := pure.Call(export, written[:state], written[state:][:input])
	return unsafe.Pointer(unsafe.SliceData(r.Encode()))
}
