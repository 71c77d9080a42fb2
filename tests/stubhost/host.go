// Package stubhost is an Extism host for tests: it counts what the plugin asks of
// it, sends nothing, and holds the plugin to who owns which block.
//
// config_get and var_get take the block of the key, var_set those of name and value,
// http_request those of request and body, log_* that of the line. What var_get gives
// is not to be written to. The blocks of output_set and error_set must live until the call ends.
package stubhost

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Request is an HTTP request of the plugin.
type Request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"-"`
	Raw     string            `json:"-"` // all but the body, as the plugin passes it
}

// ErrNoRoom is the trap of a var that does not fit.
var ErrNoRoom = errors.New("no room for a var")

// Host is a host with one instance of the plugin.
type Host struct {
	Config map[string]string
	Vars   map[string][]byte
	// Room is for the vars, in bytes; one that does not fit is a trap. 0 is without a limit.
	Room int
	// Respond responds to a request; an error is a trap, as on most hosts.
	Respond func(Request) (status int, body []byte, err error)
	// Clock is what clock_time_get reads.
	Clock time.Time
	// Calls counts, by name, what the plugin asked since the last Call began.
	Calls map[string]int
	// Logs are the log lines since then.
	Logs []string

	memory   memory
	input    []byte
	output   []byte
	failure  uint64
	status   int
	runtime  wazero.Runtime
	instance api.Module
}

// New instantiates the plugin. Its _initialize is not called, as go-sdk does not
// without WASI.
func New(ctx context.Context, wasm []byte) (*Host, error) {
	return NewWith(ctx, wazero.NewRuntimeConfig(), wasm)
}

// NewWith does so with a runtime's configuration.
func NewWith(ctx context.Context, config wazero.RuntimeConfig, wasm []byte) (*Host, error) {
	h := &Host{Config: map[string]string{}, Vars: map[string][]byte{}, runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if err := h.offer(ctx); err != nil {
		return nil, err
	}
	instance, err := h.runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		return nil, err
	}
	h.instance = instance
	return h, nil
}

// Close ends the instance.
func (h *Host) Close(ctx context.Context) error { return h.runtime.Close(ctx) }

// Memory is the size of the plugin's own memory in bytes.
func (h *Host) Memory() uint32 { return h.instance.Memory().Size() }

// Total is how many host calls the last Call made.
func (h *Host) Total() (n int) {
	for _, count := range h.Calls {
		n += count
	}
	return n
}

// Call calls an export. failure is the plugin's error text; err is a trap.
func (h *Host) Call(ctx context.Context, export, input string) (output []byte, failure string, err error) {
	h.memory.reset()
	h.Calls, h.Logs = map[string]int{}, nil
	h.input, h.output, h.failure = []byte(input), nil, 0
	result, err := h.instance.ExportedFunction(export).Call(ctx)
	if err != nil {
		return nil, "", err
	}
	if result[0] == 0 {
		return h.output, "", nil
	}
	return nil, string(h.memory.peek(h.failure)), nil
}

// offer defines what the plugin may import. http_headers and get_log_level are left
// out, as npm's @extism/extism 1.0.3 lacks them.
func (h *Host) offer(ctx context.Context) error {
	m := &h.memory
	env := h.runtime.NewHostModuleBuilder("extism:host/env")
	for _, f := range []struct {
		name, params, results string // I is 64 bits, i is 32
		call                  func(stack []uint64)
	}{
		{"alloc", "I", "I", func(s []uint64) { s[0] = m.alloc(s[0]) }},
		{"free", "I", "", func(s []uint64) { m.take(s[0]) }},
		{"length", "I", "I", func(s []uint64) { s[0] = h.length(s[0]) }},
		{"load_u8", "I", "i", func(s []uint64) { s[0] = uint64(m.at(s[0], 1)[0]) }},
		{"load_u64", "I", "I", func(s []uint64) { s[0] = binary.LittleEndian.Uint64(m.at(s[0], 8)) }},
		{"store_u8", "Ii", "", func(s []uint64) { m.writable(s[0], 1)[0] = byte(s[1]) }},
		{"store_u64", "II", "", func(s []uint64) { binary.LittleEndian.PutUint64(m.writable(s[0], 8), s[1]) }},
		{"input_length", "", "I", func(s []uint64) { s[0] = uint64(len(h.input)) }},
		{"input_load_u8", "I", "i", func(s []uint64) { s[0] = uint64(h.input[s[0]]) }},
		{"input_load_u64", "I", "I", func(s []uint64) { s[0] = binary.LittleEndian.Uint64(h.input[s[0] : s[0]+8]) }},
		{"output_set", "II", "", func(s []uint64) { h.output = m.at(s[0], s[1]) }},
		{"error_set", "I", "", func(s []uint64) { m.peek(s[0]); h.failure = s[0] }},
		{"config_get", "I", "I", func(s []uint64) { s[0] = m.put([]byte(h.Config[string(m.take(s[0]))])) }},
		{"var_get", "I", "I", func(s []uint64) { s[0] = m.share(h.Vars[string(m.take(s[0]))]) }},
		{"var_set", "II", "", func(s []uint64) { h.setVar(s[0], s[1]) }},
		{"http_request", "II", "I", func(s []uint64) { s[0] = h.send(s[0], s[1]) }},
		{"http_status_code", "", "i", func(s []uint64) { s[0] = uint64(h.status) }},
		{"log_debug", "I", "", func(s []uint64) { h.Logs = append(h.Logs, "debug "+string(m.take(s[0]))) }},
		{"log_warn", "I", "", func(s []uint64) { h.Logs = append(h.Logs, "warn "+string(m.take(s[0]))) }},
	} {
		env.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			h.Calls[f.name]++
			f.call(stack)
		}), types(f.params), types(f.results)).Export(f.name)
	}
	if _, err := env.Instantiate(ctx); err != nil {
		return err
	}
	wasi := h.runtime.NewHostModuleBuilder("wasi_snapshot_preview1")
	wasi.NewFunctionBuilder().WithFunc(h.clock).Export("clock_time_get")
	_, err := wasi.Instantiate(ctx)
	return err
}

func types(signature string) (types []api.ValueType) {
	for _, c := range signature {
		types = append(types, map[rune]api.ValueType{'I': api.ValueTypeI64, 'i': api.ValueTypeI32}[c])
	}
	return types
}

// length of 0 is 0, of no block at all.
func (h *Host) length(offset uint64) uint64 {
	if offset == 0 {
		return 0
	}
	return uint64(len(h.memory.peek(offset)))
}

func (h *Host) setVar(name, value uint64) {
	key := string(h.memory.take(name))
	if value == 0 {
		delete(h.Vars, key)
		return
	}
	b := h.memory.take(value)
	sum := len(b)
	for other, v := range h.Vars {
		if other != key {
			sum += len(v)
		}
	}
	if h.Room > 0 && sum > h.Room {
		panic(ErrNoRoom)
	}
	h.Vars[key] = b
}

func (h *Host) send(request, body uint64) uint64 {
	h.status = 0
	raw := h.memory.take(request)
	r := Request{Raw: string(raw)}
	if err := json.Unmarshal(raw, &r); err != nil {
		panic(fmt.Errorf("the request is not JSON: %w", err))
	}
	if body != 0 {
		r.Body = h.memory.take(body)
	}
	status, response, err := h.Respond(r)
	if err != nil {
		panic(err)
	}
	h.status = status
	return h.memory.put(response)
}

func (h *Host) clock(_ context.Context, m api.Module, _ uint32, _ uint64, result uint32) uint32 {
	h.Calls["clock_time_get"]++
	m.Memory().WriteUint64Le(result, uint64(h.Clock.UnixNano()))
	return 0
}
