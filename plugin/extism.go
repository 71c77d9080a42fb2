//go:build tinygo.wasm && !pure

package main

import (
	"unsafe"

	"github.com/extism/go-pdk"

	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/message"
)

// extism implements host.Sender with Extism's functions.
type extism struct {
	held     uint64 // block of the last Hold
	response uint64 // block of the last response's body, and its length
	size     uint64
}

// input reads the input.
func (h *extism) input() []byte {
	b := make([]byte, inputLength())
	if len(b) < 8 {
		for i := range b {
			b[i] = byte(inputByte(uint64(i)))
		}
		return b
	}
	last := len(b) - 8
	for at := 0; at < last; at += 8 {
		*word(b, at) = inputWord(uint64(at))
	}
	*word(b, last) = inputWord(uint64(last))
	return b
}

// word returns the eight bytes of b from at on, which need not be aligned. The last word of a copy
// overlaps the one before it: copying the rest byte by byte, as go-pdk does, would take up to seven
// host calls.
func word(b []byte, at int) *uint64 { return (*uint64)(unsafe.Pointer(&b[at])) }

// output makes a block the output, without a copy. An empty block is not set: some hosts
// reject a block of length 0.
func (h *extism) output(block, size uint64) {
	if size > 0 {
		pdk.OutputMemory(pdk.NewMemory(block, size))
	}
}

// end sets the output of an export and returns 0, or sets its error and returns 1.
func (h *extism) end(r host.Result) int32 {
	switch r.Kind {
	case host.Output:
		h.output(h.block(r.Text), uint64(len(r.Text)))
	case host.Held:
		h.output(h.held, length(h.held))
	case host.Response:
		h.output(h.response, h.size)
	default:
		errorSet(h.block(r.Text))
		return 1
	}
	return 0
}

// block copies b into a block of the host's memory and returns its offset.
func (h *extism) block(b []byte) uint64 {
	offset := allocate(uint64(len(b)))
	if len(b) < 8 {
		for i, c := range b {
			storeByte(offset+uint64(i), uint32(c))
		}
		return offset
	}
	last := len(b) - 8
	for at := 0; at < last; at += 8 {
		storeWord(offset+uint64(at), *word(b, at))
	}
	storeWord(offset+uint64(last), *word(b, last))
	return offset
}

func (h *extism) text(s string) uint64 { return h.block([]byte(s)) }

func (h *extism) Config(key string) string { return string(h.load(configGet(h.text(key)))) }

func (h *extism) Var(name string) []byte { return h.load(varGet(h.text(name))) }

// load reads a block, or returns nil for no block.
func (h *extism) load(offset uint64) []byte {
	if offset == 0 {
		return nil
	}
	return h.read(offset, length(offset))
}

// read reads the beginning of a block.
func (h *extism) read(offset, size uint64) []byte {
	b := make([]byte, size)
	if len(b) < 8 {
		for i := range b {
			b[i] = byte(loadByte(offset + uint64(i)))
		}
		return b
	}
	last := len(b) - 8
	for at := 0; at < last; at += 8 {
		*word(b, at) = loadWord(offset + uint64(at))
	}
	*word(b, last) = loadWord(offset + uint64(last))
	return b
}

func (h *extism) SetVar(name string, value []byte) {
	block := uint64(0) // no value
	if len(value) > 0 {
		block = h.block(value)
	}
	varSet(h.text(name), block)
}

func (h *extism) Words(name string) (first, second uint64, ok bool) {
	offset := varGet(h.text(name))
	if offset == 0 {
		return 0, 0, false
	}
	return loadWord(offset), loadWord(offset + 8), true
}

// LogVar passes on the block that var_get returned. It must not be written to: in some
// JavaScript SDKs it is the var itself.
func (h *extism) LogVar(name string) bool {
	line := varGet(h.text(name))
	if line != 0 {
		logDebug(line)
	}
	return line != 0
}

func (h *extism) Hold(name string) bool {
	h.held = varGet(h.text(name))
	return h.held != 0
}

func (h *extism) Now() int64 { return now() }

func (h *extism) Log(level host.Level, line string) {
	if level == host.Warn {
		logWarn(h.text(line))
		return
	}
	logDebug(h.text(line))
}

// Send sends a request. If it fails, most hosts trap and nothing below is reached.
func (h *extism) Send(r *message.Request) *message.Response {
	var body uint64
	if r.Body != "" {
		body = h.text(r.Body)
	}
	return h.exchange(h.block(r.JSON()), body)
}

func (h *extism) SendHeld() *message.Response { return h.exchange(h.held, 0) }

func (h *extism) exchange(request, body uint64) *message.Response {
	h.response = httpRequest(request, body)
	h.size = length(h.response)
	return &message.Response{
		Status: int(httpStatusCode()),
		Size:   int(h.size),
		Load: func(most int) []byte {
			return h.read(h.response, min(uint64(most), h.size))
		},
	}
}
