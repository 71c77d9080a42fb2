// Package pure makes a call of the core a function of bytes: of a state, which the host keeps,
// and an input. docs/contract.md describes it as the way for hosts without Extism.
package pure

import (
	"encoding/binary"
	"strings"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// Result is what a call returns.
type Result struct {
	Failed bool   // whether Output is an error
	State  []byte // for the next call
	Output []byte
	Log    []byte // lines, each after a letter for its level: see Lines
}

// Call calls an export with a state, which is that of an earlier result or empty, and an input.
func Call(export Export, state, input []byte) Result {
	h := &pure{}
	if !h.read(state) {
		err := apierror.Input("state", "not a state that the plugin returned; pass the last one unchanged")
		return Result{Failed: true, State: state, Output: err.JSON()}
	}
	r := export(h, input)
	return Result{Failed: r.Kind == host.Error, State: h.write(), Output: r.Text, Log: h.log}
}

// Encode returns the result in one piece: four little-endian 32-bit numbers, 1 for an error or 0,
// and the lengths of state, output and log; then these.
func (r *Result) Encode() []byte {
	parts := [...][]byte{r.State, r.Output, r.Log}
	b := make([]byte, 4, 4*4+len(r.State)+len(r.Output)+len(r.Log))
	if r.Failed {
		b[0] = 1
	}
	for _, part := range parts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(part)))
	}
	for _, part := range parts {
		b = append(b, part...)
	}
	return b
}

// Lines calls f with each line of the log.
func (r *Result) Lines(f func(level host.Level, line string)) {
	for line := range strings.Lines(string(r.Log)) {
		level := host.Debug
		if line[0] == letters[host.Warn] {
			level = host.Warn
		}
		f(level, line[1:len(line)-1])
	}
}

// letters are those of the levels.
var letters = [...]byte{host.Debug: 'd', host.Warn: 'w'}

// Configure sets keys of the config, which is part of the state.
func Configure(h host.Host, rawInput []byte) host.Result {
	if json.Blank(rawInput) {
		return host.Result{}
	}
	var err *apierror.Error
	isObject := json.Object(rawInput, func(key string, value json.Value) bool {
		if value.Kind() != json.String {
			err = apierror.Input("", "the config must be an object with string values")
			return false
		}
		h.SetVar(configPrefix+key, []byte(value.Text()))
		return true
	})
	if !isObject {
		err = apierror.Input("", "the config must be one JSON object")
	}
	if err != nil {
		return host.Fail(err)
	}
	return host.Result{}
}

// configPrefix begins the names of the entries that have the config. Those of the vars begin with
// another letter.
const configPrefix = "."

// pure is the host of one call.
type pure struct {
	entries []entry
	log     []byte
}

// entry is a var, or a key of the config.
type entry struct {
	name  string
	value []byte
	ours  bool // whether the value was set in this call, or can be one that the core set
}

// read reads a state: for each entry, the lengths of its name and value as little-endian 32-bit
// numbers, and these. It reports whether that is what the state has.
func (h *pure) read(state []byte) bool {
	for len(state) > 0 {
		if len(state) < 8 {
			return false
		}
		name, value := binary.LittleEndian.Uint32(state), binary.LittleEndian.Uint32(state[4:])
		if state = state[8:]; uint64(name)+uint64(value) > uint64(len(state)) {
			return false
		}
		h.entries = append(h.entries, entry{name: string(state[:name]), value: state[name : name+value]})
		state = state[name+value:]
	}
	return true
}

func (h *pure) write() []byte {
	size := 0
	for _, e := range h.entries {
		size += 8 + len(e.name) + len(e.value)
	}
	b := make([]byte, 0, size)
	for _, e := range h.entries {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(e.name)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(e.value)))
		b = append(append(b, e.name...), e.value...)
	}
	return b
}

// Var returns the value of an entry. A forged token or error counts as missing: the core uses them as
// parts of JSON, and validates everything else that it reads.
func (h *pure) Var(name string) []byte {
	for i := range h.entries {
		e := &h.entries[i]
		if e.name != name {
			continue
		}
		if e.ours = e.ours || fits(name, e.value); e.ours {
			return e.value
		}
		return nil
	}
	return nil
}

// fits reports whether a value can be one that the core set.
func fits(name string, value []byte) bool {
	switch name {
	case instance.TokenObject, instance.Previous:
		_, err := input.ParseToken(value)
		return err == nil
	case instance.Retry:
		return json.Object([]byte("{"+string(value)+"}"), func(string, json.Value) bool { return false })
	}
	return true
}

func (h *pure) SetVar(name string, value []byte) {
	for i := range h.entries {
		switch {
		case h.entries[i].name != name:
			continue
		case len(value) == 0:
			h.entries = append(h.entries[:i], h.entries[i+1:]...)
		default:
			h.entries[i].value, h.entries[i].ours = value, true
		}
		return
	}
	if len(value) > 0 {
		h.entries = append(h.entries, entry{name, value, true})
	}
}

func (h *pure) Config(key string) string { return string(h.Var(configPrefix + key)) }

// Now returns 0: the time is that of the input.
func (h *pure) Now() int64 { return 0 }

func (h *pure) Hold(name string) bool { return h.Var(name) != nil }

// Log keeps a line, in which a space replaces each line feed.
func (h *pure) Log(level host.Level, line string) {
	from := len(h.log) + 1
	h.log = append(append(append(h.log, letters[level]), line...), '\n')
	for i, c := range h.log[from : len(h.log)-1] {
		if c == '\n' {
			h.log[from+i] = ' '
		}
	}
}
