//go:build tinygo.wasm

package main

import (
	"encoding/binary"

	"github.com/extism/go-pdk"

	"automatic-rostering/plugin/internal/call"
	"automatic-rostering/plugin/internal/message"
)

// host is what Extism gives: call.Host, and the sending of requests.
type host struct {
	held   uint64     // block of the last Hold
	answer pdk.Memory // body of the last answer
}

// input reads the input in words. The last word overlaps the one before it: a byte
// at a time, as pdk.Input reads what is left over, is up to seven host calls.
func (h *host) input() []byte {
	size := inputLength()
	b := make([]byte, size)
	if size < 8 {
		for i := range b {
			b[i] = byte(inputByte(uint64(i)))
		}
		return b
	}
	for at := uint64(0); at < size; at += 8 {
		at = min(at, size-8)
		binary.LittleEndian.PutUint64(b[at:], inputWord(at))
	}
	return b
}

// output gives a block out as it is. Without a block the output stays empty: some
// hosts refuse a block of no length.
func (h *host) output(block pdk.Memory) {
	if block.Length() > 0 {
		pdk.OutputMemory(block)
	}
}

// end hands over what came of a call: 0, or 1 with an error.
func (h *host) end(step call.Step) int32 {
	switch step.Kind {
	case call.Give:
		h.output(h.block(step.Output))
	case call.GiveHeld:
		h.output(pdk.FindMemory(h.held))
	case call.GiveAnswer:
		h.output(h.answer)
	default:
		pdk.SetErrorString(string(step.Output))
		return 1
	}
	return 0
}

// block puts b into a block that the host can take.
func (h *host) block(b []byte) pdk.Memory { return pdk.AllocateBytes(b) }

func (h *host) offset(s string) uint64 {
	block := pdk.AllocateString(s)
	return block.Offset()
}

func (h *host) Config(key string) string {
	return string(h.load(configGet(h.offset(key))))
}

func (h *host) Var(name string) []byte {
	return h.load(varGet(h.offset(name)))
}

// load reads a block, or gives nil where there is none.
func (h *host) load(offset uint64) []byte {
	if offset == 0 {
		return nil
	}
	block := pdk.FindMemory(offset)
	return block.ReadBytes()
}

func (h *host) SetVar(name string, value []byte) {
	if len(value) == 0 {
		pdk.RemoveVar(name)
		return
	}
	pdk.SetVar(name, value)
}

func (h *host) Words(name string) (first, second uint64, ok bool) {
	offset := varGet(h.offset(name))
	if offset == 0 {
		return 0, 0, false
	}
	return loadWord(offset), loadWord(offset + 8), true
}

// LogVar hands over the block that var_get gave. It must not be written to: in some
// JavaScript SDKs it is the var itself.
func (h *host) LogVar(name string) {
	if line := varGet(h.offset(name)); line != 0 {
		logDebug(line)
	}
}

func (h *host) Hold(name string) bool {
	h.held = varGet(h.offset(name))
	return h.held != 0
}

func (h *host) Held() []byte { return h.load(h.held) }

func (h *host) Now() int64 { return now() }

func (h *host) Log(level call.Level, line string) {
	if level == call.Warn {
		logWarn(h.offset(line))
		return
	}
	logDebug(h.offset(line))
}

// send sends a request. If it fails, most hosts trap and nothing below is reached.
func (h *host) send(r *message.Request) *message.Answer {
	var body uint64
	if r.Body != "" {
		body = h.offset(r.Body)
	}
	return h.exchange(h.offset(string(r.AppendJSON(nil))), body)
}

// sendHeld sends the held var, which is a request as http_request takes it.
func (h *host) sendHeld() *message.Answer { return h.exchange(h.held, 0) }

func (h *host) exchange(request, body uint64) *message.Answer {
	offset := httpRequest(request, body)
	h.answer = pdk.NewMemory(offset, length(offset))
	return &message.Answer{
		Status: int(httpStatusCode()),
		Size:   int(h.answer.Length()),
		Load: func(most int) []byte {
			b := make([]byte, min(most, int(h.answer.Length())))
			h.answer.Load(b)
			return b
		},
	}
}
