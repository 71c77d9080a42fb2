//go:build tinygo.wasm && !pure

package main

// What the plugin imports beyond go-pdk: functions that go-pdk does not export, or wraps
// in a way that frees a block which the host already owns. A block is identified by
// its offset in the memory that the host shares with the plugin.
//
// The host takes ownership of the blocks that it is passed: config_get and var_get the key,
// http_request the request and its body, log_* the line. They must not be used
// again. See RATIONALE.md.

// http_request comes first: the JavaScript SDK 2.0.0-rc13 reads no status in a
// module that imports http_status_code before it.
//
//go:wasmimport extism:host/env http_request
func httpRequest(request, body uint64) uint64

//go:wasmimport extism:host/env http_status_code
func httpStatusCode() int32

//go:wasmimport extism:host/env config_get
func configGet(key uint64) uint64

//go:wasmimport extism:host/env var_get
func varGet(key uint64) uint64

//go:wasmimport extism:host/env var_set
func varSet(key, value uint64)

//go:wasmimport extism:host/env alloc
func allocate(size uint64) uint64

//go:wasmimport extism:host/env store_u64
func storeWord(offset, word uint64)

//go:wasmimport extism:host/env store_u8
func storeByte(offset uint64, b uint32)

//go:wasmimport extism:host/env load_u8
func loadByte(offset uint64) uint32

//go:wasmimport extism:host/env error_set
func errorSet(block uint64)

//go:wasmimport extism:host/env length
func length(block uint64) uint64

//go:wasmimport extism:host/env load_u64
func loadWord(offset uint64) uint64

//go:wasmimport extism:host/env input_length
func inputLength() uint64

//go:wasmimport extism:host/env input_load_u64
func inputWord(offset uint64) uint64

//go:wasmimport extism:host/env input_load_u8
func inputByte(offset uint64) uint32

//go:wasmimport extism:host/env log_debug
func logDebug(line uint64)

//go:wasmimport extism:host/env log_warn
func logWarn(line uint64)
