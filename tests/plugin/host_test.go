package plugin

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// request is an HTTP request of the plugin, without its body.
type request struct {
	Method, URL string
	Headers     map[string]string
}

// readRequest reads a request as the plugin passes it.
func readRequest(request []byte) (r request) {
	if err := json.Unmarshal(request, &r); err != nil {
		panic(fmt.Errorf("the request is not JSON: %w", err))
	}
	return r
}

// errNoRoom is the trap of a var that does not fit.
var errNoRoom = errors.New("no room for a var")

// host is an Extism host with one instance of the plugin. It sends nothing, and holds the plugin to who owns which block:
// config_get and var_get take that of the key, var_set those of name and value, http_request those of request and body, log_*
// that of the line; what var_get gives is not to be written to; those of output_set and error_set must live until the call
// ends. What it passes to Respond and returns may change with the next call.
type host struct {
	Config map[string]string
	Vars   map[string][]byte
	// Room is for the vars, in bytes; one that does not fit is a trap. 0 is without a limit.
	Room int
	// Respond responds to a request and its body; an error is a trap, as on most hosts.
	Respond func(request, body []byte) (status int, response []byte, err error)
	// Clock is what clock_time_get reads.
	Clock time.Time
	// Logs are the log lines since the last Call began.
	Logs [][]byte

	memory
	input    []byte
	output   []byte
	failure  uint64
	status   int
	runtime  wazero.Runtime
	instance api.Module
	exports  map[string]api.Function // looking one up is slow
}

// newHost instantiates the plugin. Its _initialize is not called, as go-sdk does not without WASI.
func newHost(ctx context.Context, wasm []byte) (*host, error) {
	h := &host{Config: map[string]string{}, Vars: map[string][]byte{}, runtime: wazero.NewRuntime(ctx), exports: map[string]api.Function{}}
	if err := h.offer(ctx); err != nil {
		return nil, err
	}
	var err error
	h.instance, err = h.runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		return nil, err
	}
	for name := range h.instance.ExportedFunctionDefinitions() {
		h.exports[name] = h.instance.ExportedFunction(name)
	}
	return h, nil
}

// Memory is the size of the plugin's own memory in bytes.
func (h *host) Memory() uint32 { return h.instance.Memory().Size() }

// Call calls an export. failure is the plugin's error text; err is a trap.
func (h *host) Call(ctx context.Context, export, input string) (output []byte, failure string, err error) {
	h.reset()
	h.Logs, h.input, h.output, h.failure = h.Logs[:0], []byte(input), nil, 0
	result, err := h.exports[export].Call(ctx)
	switch {
	case err != nil:
		return nil, "", err
	case result[0] == 0:
		return h.output, "", nil
	}
	return nil, string(h.block(h.failure).bytes), nil
}

// offer defines what the plugin may import. npm's @extism/extism 1.0.3 lacks http_headers and get_log_level.
func (h *host) offer(ctx context.Context) error {
	word := binary.LittleEndian
	log := func(s []uint64) { h.Logs = append(h.Logs, h.take(s[0])) }
	env, wasi := h.runtime.NewHostModuleBuilder("extism:host/env"), h.runtime.NewHostModuleBuilder("wasi_snapshot_preview1")
	for _, f := range []struct {
		in              wazero.HostModuleBuilder
		name            string
		params, results string // I is 64 bits, i is 32
		call            func(stack []uint64)
	}{
		{env, "alloc", "I", "I", func(s []uint64) { s[0] = h.alloc(s[0]) }},
		{env, "free", "I", "", func(s []uint64) { h.take(s[0]) }},
		{env, "length", "I", "I", func(s []uint64) { s[0] = h.length(s[0]) }},
		{env, "load_u8", "I", "i", func(s []uint64) { s[0] = uint64(h.at(s[0], 1, false)[0]) }},
		{env, "load_u64", "I", "I", func(s []uint64) { s[0] = word.Uint64(h.at(s[0], 8, false)) }},
		{env, "store_u8", "Ii", "", func(s []uint64) { h.at(s[0], 1, true)[0] = byte(s[1]) }},
		{env, "store_u64", "II", "", func(s []uint64) { word.PutUint64(h.at(s[0], 8, true), s[1]) }},
		{env, "input_length", "", "I", func(s []uint64) { s[0] = uint64(len(h.input)) }},
		{env, "input_load_u8", "I", "i", func(s []uint64) { s[0] = uint64(h.input[s[0]]) }},
		{env, "input_load_u64", "I", "I", func(s []uint64) { s[0] = word.Uint64(h.input[s[0] : s[0]+8]) }},
		{env, "output_set", "II", "", func(s []uint64) { h.output = h.at(s[0], s[1], false) }},
		{env, "error_set", "I", "", func(s []uint64) { h.block(s[0]); h.failure = s[0] }},
		{env, "config_get", "I", "I", func(s []uint64) { s[0] = h.put([]byte(h.Config[string(h.take(s[0]))]), false) }},
		{env, "var_get", "I", "I", func(s []uint64) { s[0] = h.put(h.Vars[string(h.take(s[0]))], true) }},
		{env, "var_set", "II", "", func(s []uint64) { h.setVar(s[0], s[1]) }},
		{env, "http_request", "II", "I", func(s []uint64) { s[0] = h.send(s[0], s[1]) }},
		{env, "http_status_code", "", "i", func(s []uint64) { s[0] = uint64(h.status) }},
		{env, "log_debug", "I", "", log},
		{env, "log_warn", "I", "", log},
		{wasi, "clock_time_get", "iIi", "i", func(s []uint64) {
			h.instance.Memory().WriteUint64Le(uint32(s[2]), uint64(h.Clock.UnixNano()))
			s[0] = 0
		}},
	} {
		call := api.GoFunc(func(_ context.Context, stack []uint64) { f.call(stack) })
		f.in.NewFunctionBuilder().WithGoFunction(call, types(f.params), types(f.results)).Export(f.name)
	}
	_, err := env.Instantiate(ctx)
	if err == nil {
		_, err = wasi.Instantiate(ctx)
	}
	return err
}

func types(signature string) (types []api.ValueType) {
	for _, c := range signature {
		types = append(types, map[rune]api.ValueType{'I': api.ValueTypeI64, 'i': api.ValueTypeI32}[c])
	}
	return types
}

func (h *host) setVar(name, value uint64) {
	key := string(h.take(name))
	if value == 0 {
		delete(h.Vars, key)
		return
	}
	b := h.take(value)
	sum := len(b)
	for other, v := range h.Vars {
		if other != key {
			sum += len(v)
		}
	}
	if h.Room > 0 && sum > h.Room {
		panic(errNoRoom)
	}
	h.Vars[key] = bytes.Clone(b)
}

func (h *host) send(request, body uint64) uint64 {
	var b []byte
	if body != 0 {
		b = h.take(body)
	}
	status, response, err := h.Respond(h.take(request), b)
	if h.status = status; err != nil {
		panic(err)
	}
	return h.put(response, false)
}

// take reads a block that the host now owns.
func (h *host) take(offset uint64) []byte {
	b := h.block(offset)
	b.gone = true
	return b.bytes
}
