package rostering

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The limits of a plugin. Each is far above what a call needs.
const (
	mostPages  = 256      // of 64 KiB, of its memory
	mostBlocks = 16 << 20 // bytes of all blocks of an export, and 64 for each
	mostVars   = 1 << 20  // bytes of all vars, as in Extism
)

// extismHost has the functions of Extism's host that the plugin imports. Blocks of bytes live
// until the export returns. The upper half of an offset is the number of a block, the lower
// half a position in it. Block 0 is the empty one, and stands for no value.
type extismHost struct {
	config map[string]string
	vars   map[string]string // outlive the exports

	input, output, failure []byte // of the export that runs
	lines                  []line // of the log
	blocks                 [][]byte
	used                   uint64
}

// reset begins an export.
func (h *extismHost) reset(input []byte) {
	h.input, h.output, h.failure, h.lines, h.blocks, h.used = input, nil, nil, nil, [][]byte{nil}, 0
}

type hostKey struct{}

// context is where the functions find the host of their instance.
func (h *extismHost) context() context.Context {
	return context.WithValue(context.Background(), hostKey{}, h)
}

// trap ends the export with an error. The next export works again.
func trap(format string, values ...any) { panic(fmt.Errorf(format, values...)) }

func (h *extismHost) alloc(size uint64) uint64 {
	if size == 0 {
		return 0
	}
	h.used += min(size, mostBlocks) + 64
	if h.used > mostBlocks {
		trap("no room for a block of %d bytes", size)
	}
	h.blocks = append(h.blocks, make([]byte, size))
	return uint64(len(h.blocks)-1) << 32
}

func (h *extismHost) put(value string) uint64 {
	offset := h.alloc(uint64(len(value)))
	copy(h.blocks[offset>>32], value)
	return offset
}

// block returns the content of the block that begins at an offset.
func (h *extismHost) block(offset uint64) []byte {
	if offset>>32 >= uint64(len(h.blocks)) || uint32(offset) != 0 {
		trap("no block begins at the offset %#x", offset)
	}
	return h.blocks[offset>>32]
}

// at returns the bytes at an offset, which all are in one block.
func (h *extismHost) at(offset, size uint64) []byte {
	return within(h.block(offset&^math.MaxUint32), offset&math.MaxUint32, size)
}

func within(b []byte, position, size uint64) []byte {
	if length := uint64(len(b)); size > length || position > length-size {
		trap("%d bytes at %d are not within %d bytes", size, position, length)
	}
	return b[position : position+size]
}

func (h *extismHost) setVar(key string, value []byte) {
	total := len(value) - len(h.vars[key])
	for name, v := range h.vars {
		total += len(name) + len(v)
	}
	if total+len(key) > mostVars {
		trap("no room for a var of %d bytes", len(value))
	}
	h.vars[key] = string(value) // an empty value counts as missing
}

// log keeps a line until the export has returned, because the logger may call the client.
func (h *extismHost) log(level slog.Level, offset uint64) {
	h.lines = append(h.lines, line{level: level, text: string(h.block(offset))})
}

// functions defines the functions, which take parameters from a stack and leave results there.
func functions(runtime wazero.Runtime) wazero.HostModuleBuilder {
	env := runtime.NewHostModuleBuilder("extism:host/env")
	type types = []api.ValueType
	const i32, i64 = api.ValueTypeI32, api.ValueTypeI64
	none, one, two := types{}, types{i64}, types{i64, i64}
	define := func(name string, parameters, results types, f func(h *extismHost, s []uint64)) {
		withContext := api.GoFunc(func(ctx context.Context, s []uint64) { f(ctx.Value(hostKey{}).(*extismHost), s) })
		env.NewFunctionBuilder().WithGoFunction(withContext, parameters, results).Export(name)
	}
	define("alloc", one, one, func(h *extismHost, s []uint64) { s[0] = h.alloc(s[0]) })
	define("length", one, one, func(h *extismHost, s []uint64) { s[0] = uint64(len(h.block(s[0]))) })
	define("load_u8", one, types{i32}, func(h *extismHost, s []uint64) { s[0] = uint64(h.at(s[0], 1)[0]) })
	define("load_u64", one, one, func(h *extismHost, s []uint64) { s[0] = binary.LittleEndian.Uint64(h.at(s[0], 8)) })
	define("store_u8", types{i64, i32}, none, func(h *extismHost, s []uint64) { h.at(s[0], 1)[0] = byte(s[1]) })
	define("store_u64", two, none, func(h *extismHost, s []uint64) { binary.LittleEndian.PutUint64(h.at(s[0], 8), s[1]) })
	define("input_length", none, one, func(h *extismHost, s []uint64) { s[0] = uint64(len(h.input)) })
	define("input_load_u8", one, types{i32}, func(h *extismHost, s []uint64) { s[0] = uint64(within(h.input, s[0], 1)[0]) })
	define("input_load_u64", one, one, func(h *extismHost, s []uint64) { s[0] = binary.LittleEndian.Uint64(within(h.input, s[0], 8)) })
	define("output_set", two, none, func(h *extismHost, s []uint64) { h.output = h.at(s[0], s[1]) })
	define("error_set", one, none, func(h *extismHost, s []uint64) { h.failure = h.block(s[0]) })
	define("var_get", one, one, func(h *extismHost, s []uint64) { s[0] = h.put(h.vars[string(h.block(s[0]))]) })
	define("var_set", two, none, func(h *extismHost, s []uint64) { h.setVar(string(h.block(s[0])), h.block(s[1])) })
	define("config_get", one, one, func(h *extismHost, s []uint64) { s[0] = h.put(h.config[string(h.block(s[0]))]) })
	define("log_debug", one, none, func(h *extismHost, s []uint64) { h.log(slog.LevelDebug, s[0]) })
	define("log_warn", one, none, func(h *extismHost, s []uint64) { h.log(slog.LevelWarn, s[0]) })
	define("http_request", two, one, func(*extismHost, []uint64) { trap("the plugin sent a request itself, which a step never does") })
	define("http_status_code", none, types{i32}, func(_ *extismHost, s []uint64) { s[0] = 0 })
	return env
}
