package plugin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/world"
)

// host is an Extism host with one instance of a build. It holds the plugin to who owns which block: config_get and var_get take
// that of the key, var_set those of name and value, http_request those of request and body, log_* that of the line; what
// var_get gives is not to be written to; those of output_set and error_set must live until the call ends.
type host struct {
	memory
	instance api.Module
	config   map[string]string
	vars     map[string][]byte
	// exchange responds to a request; failed is a trap, as on most hosts.
	exchange func(*world.HTTP) map[string]any
	logs     []protocol.Log

	input, output []byte
	failure       uint64
	status        int
	lost          string
}

// newHost instantiates a build. Its _initialize is not called, as go-sdk does not without WASI.
func newHost(t testing.TB, file string) *host {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = runtime.Close(ctx) })
	h := &host{}
	err := h.offer(ctx, runtime, !strings.Contains(file, "nowasi"))
	if err == nil {
		h.instance, err = runtime.InstantiateWithConfig(ctx, read(t, file), wazero.NewModuleConfig().WithStartFunctions())
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return h
}

// open makes the instance as if it were new.
func (h *host) open(config map[string]string) {
	h.config, h.vars, h.logs = config, map[string][]byte{}, nil
}

// call calls an export.
func (h *host) call(export string, input []byte) protocol.Response {
	h.blocks = map[uint64]block{}
	h.input, h.output, h.failure, h.lost = input, nil, 0, ""
	result, err := h.instance.ExportedFunction(export).Call(context.Background())
	switch {
	case err != nil:
		return protocol.Response{Text: cmp.Or(h.lost, err.Error())}
	case result[0] == 0:
		return protocol.Response{Output: h.output}
	}
	return protocol.Response{Error: string(h.block(h.failure).bytes)}
}

// offer defines what the plugin may import. npm's @extism/extism 1.0.3 lacks http_headers and get_log_level.
func (h *host) offer(ctx context.Context, runtime wazero.Runtime, withWASI bool) error {
	word := binary.LittleEndian
	log := func(level string) func(s []uint64) {
		return func(s []uint64) { h.logs = append(h.logs, protocol.Log{Level: level, Line: string(h.take(s[0]))}) }
	}
	env, wasi := runtime.NewHostModuleBuilder("extism:host/env"), runtime.NewHostModuleBuilder("wasi_snapshot_preview1")
	for _, f := range []struct {
		in              wazero.HostModuleBuilder
		name            string
		params, results string // I is 64 bits, i is 32
		call            func(stack []uint64)
	}{
		{env, "alloc", "I", "I", func(s []uint64) { s[0] = h.add(block{bytes: make([]byte, s[0])}) }},
		{env, "free", "I", "", func(s []uint64) { h.take(s[0]) }},
		{env, "length", "I", "I", func(s []uint64) {
			if s[0] != 0 { // that of no block is 0
				s[0] = uint64(len(h.block(s[0]).bytes))
			}
		}},
		{env, "load_u8", "I", "i", func(s []uint64) { s[0] = uint64(h.at(s[0], 1, false)[0]) }},
		{env, "load_u64", "I", "I", func(s []uint64) { s[0] = word.Uint64(h.at(s[0], 8, false)) }},
		{env, "store_u8", "Ii", "", func(s []uint64) { h.at(s[0], 1, true)[0] = byte(s[1]) }},
		{env, "store_u64", "II", "", func(s []uint64) { word.PutUint64(h.at(s[0], 8, true), s[1]) }},
		{env, "input_length", "", "I", func(s []uint64) { s[0] = uint64(len(h.input)) }},
		{env, "input_load_u8", "I", "i", func(s []uint64) { s[0] = uint64(h.input[s[0]]) }},
		{env, "input_load_u64", "I", "I", func(s []uint64) { s[0] = word.Uint64(h.input[s[0] : s[0]+8]) }},
		{env, "output_set", "II", "", func(s []uint64) { h.output = h.at(s[0], s[1], false) }},
		{env, "error_set", "I", "", func(s []uint64) { h.failure = s[0] }},
		{env, "config_get", "I", "I", func(s []uint64) { s[0] = h.put([]byte(h.config[string(h.take(s[0]))]), false) }},
		{env, "var_get", "I", "I", func(s []uint64) { s[0] = h.put(h.vars[string(h.take(s[0]))], true) }},
		{env, "var_set", "II", "", func(s []uint64) {
			if name := string(h.take(s[0])); s[1] == 0 {
				delete(h.vars, name)
			} else {
				h.vars[name] = bytes.Clone(h.take(s[1]))
			}
		}},
		{env, "http_request", "II", "I", func(s []uint64) { s[0] = h.send(s[0], s[1]) }},
		{env, "http_status_code", "", "i", func(s []uint64) { s[0] = uint64(h.status) }},
		{env, "log_debug", "I", "", log("debug")},
		{env, "log_warn", "I", "", log("warn")},
		{wasi, "clock_time_get", "iIi", "i", func(s []uint64) { s[0] = 52 }}, // ENOSYS: the time is that of the input
	} {
		call := api.GoFunc(func(_ context.Context, stack []uint64) { f.call(stack) })
		f.in.NewFunctionBuilder().WithGoFunction(call, types(f.params), types(f.results)).Export(f.name)
	}
	_, err := env.Instantiate(ctx)
	if err == nil && withWASI {
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

func (h *host) send(request, body uint64) uint64 {
	var r world.HTTP
	if body != 0 {
		r.Body = string(h.take(body))
	}
	if err := json.Unmarshal(h.take(request), &r); err != nil {
		panic(fmt.Errorf("the request is not JSON: %w", err))
	}
	response := h.exchange(&r)
	if failed, ok := response["failed"].(string); ok {
		h.lost = failed
		panic(failed)
	}
	h.status = response["status"].(int)
	return h.put([]byte(response["body"].(string)), false)
}
