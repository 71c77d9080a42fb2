// Package memory implements a host that keeps everything in memory, for tests of the
// core without WebAssembly.
package memory

import (
	"bytes"
	"encoding/binary"

	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/message"
)

// Host implements [host.Sender] with maps.
type Host struct {
	Settings map[string]string // the config
	Vars     map[string][]byte
	Held     []byte // the var of the last Hold
	Clock    int64  // what Now returns
	// Logged gets each line; it may be nil.
	Logged func(level host.Level, line string)
	// Keeps reports whether there is room for a var, or ends the call with a panic; nil means
	// that there is always room.
	Keeps func(name string, value []byte) bool
	// Respond responds to a request of a direct call, in the form of Request.AppendJSON, and
	// its body; a panic is a trap.
	Respond func(request, body string) *message.Response
}

var _ host.Sender = (*Host)(nil)

// New returns a host with a config.
func New(config map[string]string) *Host {
	return &Host{Settings: config, Vars: map[string][]byte{}}
}

func (h *Host) Config(key string) string { return h.Settings[key] }
func (h *Host) Var(name string) []byte   { return bytes.Clone(h.Vars[name]) }
func (h *Host) Now() int64               { return h.Clock }

// SizeWith returns how many bytes the vars would have in all if one of them were set to a value.
func (h *Host) SizeWith(name string, value []byte) int {
	size := len(value)
	for other, v := range h.Vars {
		if other != name {
			size += len(v)
		}
	}
	return size
}

func (h *Host) SetVar(name string, value []byte) {
	switch {
	case h.Keeps != nil && !h.Keeps(name, value):
	case len(value) == 0:
		delete(h.Vars, name)
	default:
		h.Vars[name] = bytes.Clone(value)
	}
}

func (h *Host) Words(name string) (first, second uint64, ok bool) {
	b := h.Vars[name]
	if len(b) < 16 {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), true
}

func (h *Host) Hold(name string) bool {
	h.Held = h.Vars[name]
	return h.Held != nil
}

func (h *Host) Log(level host.Level, line string) {
	if h.Logged != nil {
		h.Logged(level, line)
	}
}

func (h *Host) LogVar(name string) bool {
	line, ok := h.Vars[name]
	if ok {
		h.Log(host.Debug, string(line))
	}
	return ok
}

func (h *Host) Send(r *message.Request) *message.Response {
	return h.Respond(string(r.JSON()), r.Body)
}

func (h *Host) SendHeld() *message.Response { return h.Respond(string(h.Held), "") }
