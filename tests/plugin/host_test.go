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

	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/world"
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
	log := func(level string) func(uint64) {
		return func(line uint64) { h.logs = append(h.logs, protocol.Log{Level: level, Line: string(h.take(line))}) }
	}
	modules := map[string]map[string]any{"extism:host/env": {
		"alloc": func(size uint64) uint64 { return h.add(block{bytes: make([]byte, size)}) },
		"free":  func(offset uint64) { h.take(offset) },
		"length": func(offset uint64) uint64 {
			if offset == 0 { // no block
				return 0
			}
			return uint64(len(h.block(offset).bytes))
		},
		"load_u8":        func(offset uint64) uint32 { return uint32(h.at(offset, 1, false)[0]) },
		"load_u64":       func(offset uint64) uint64 { return word.Uint64(h.at(offset, 8, false)) },
		"store_u8":       func(offset uint64, value uint32) { h.at(offset, 1, true)[0] = byte(value) },
		"store_u64":      func(offset, value uint64) { word.PutUint64(h.at(offset, 8, true), value) },
		"input_length":   func() uint64 { return uint64(len(h.input)) },
		"input_load_u8":  func(at uint64) uint32 { return uint32(h.input[at]) },
		"input_load_u64": func(at uint64) uint64 { return word.Uint64(h.input[at:]) },
		"output_set":     func(offset, size uint64) { h.output = h.at(offset, size, false) },
		"error_set":      func(offset uint64) { h.failure = offset },
		"config_get":     func(key uint64) uint64 { return h.put([]byte(h.config[string(h.take(key))]), false) },
		"var_get":        func(key uint64) uint64 { return h.put(h.vars[string(h.take(key))], true) },
		"var_set": func(key, value uint64) {
			if name := string(h.take(key)); value == 0 {
				delete(h.vars, name)
			} else {
				h.vars[name] = bytes.Clone(h.take(value))
			}
		},
		"http_request":     h.send,
		"http_status_code": func() uint32 { return uint32(h.status) },
		"log_debug":        log("debug"),
		"log_warn":         log("warn"),
	}}
	if withWASI {
		modules["wasi_snapshot_preview1"] = map[string]any{
			"clock_time_get": func(uint32, uint64, uint32) uint32 { return 52 }, // ENOSYS: the time is that of the input
		}
	}
	for module, functions := range modules {
		builder := runtime.NewHostModuleBuilder(module)
		for name, function := range functions {
			builder.NewFunctionBuilder().WithFunc(function).Export(name)
		}
		if _, err := builder.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
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
