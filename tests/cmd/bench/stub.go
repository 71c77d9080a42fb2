package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// stub is an Extism host whose functions do next to nothing, so that what is measured is the
// plugin. That of tests/stubhost counts and judges each call, which costs more than the plugin.
type stub struct {
	runtime wazero.Runtime
	exports map[string]api.Function // to find one is dear
	memory  []byte                  // blocks, each after a word with its length; a call begins with none
	next    uint64
	vars    map[string][]byte
	output  []byte
	failure []byte
	request []byte // the last one
}

func openStub(ctx context.Context, wasm []byte) (guest, error) {
	s := &stub{runtime: wazero.NewRuntime(ctx), memory: make([]byte, 1<<20), exports: map[string]api.Function{}, vars: map[string][]byte{}}
	env := s.runtime.NewHostModuleBuilder("extism:host/env")
	for name, f := range s.functions() {
		env.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) { f.do(stack) }),
			f.params, f.results).Export(name)
	}
	if _, err := env.Instantiate(ctx); err != nil {
		return nil, err
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, s.runtime); err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithStartFunctions("_initialize")
	module, err := s.runtime.InstantiateWithConfig(ctx, wasm, config)
	if err != nil {
		return nil, err
	}
	for name := range module.ExportedFunctionDefinitions() {
		s.exports[name] = module.ExportedFunction(name)
	}
	return s, nil
}

func (s *stub) close(ctx context.Context) { _ = s.runtime.Close(ctx) }

func (s *stub) call(ctx context.Context, export string) ([]byte, error) {
	s.next, s.output, s.failure = 0, nil, nil
	status, err := s.exports[export].Call(ctx)
	if err == nil && status[0] != 0 {
		err = errors.New(string(s.failure))
	}
	return s.output, err
}

func (s *stub) sent() (r sentRequest, err error) { return r, json.Unmarshal(s.request, &r) }

// function is a host function.
type function struct {
	params, results []api.ValueType
	do              func(stack []uint64)
}

func (s *stub) functions() map[string]function {
	i32, i64, none := []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI64}, []api.ValueType(nil)
	two := []api.ValueType{api.ValueTypeI64, api.ValueTypeI64}
	word := binary.LittleEndian
	nothing := func([]uint64) {}
	zero := func(stack []uint64) { stack[0] = 0 }
	length := func(stack []uint64) { stack[0] = s.length(stack[0]) }
	functions := map[string]function{
		"alloc":          {i64, i64, func(stack []uint64) { stack[0] = s.alloc(stack[0]) }},
		"free":           {i64, none, nothing},
		"length":         {i64, i64, length},
		"length_unsafe":  {i64, i64, length},
		"load_u8":        {i64, i32, func(stack []uint64) { stack[0] = uint64(s.memory[stack[0]]) }},
		"load_u64":       {i64, i64, func(stack []uint64) { stack[0] = word.Uint64(s.memory[stack[0]:]) }},
		"store_u8":       {[]api.ValueType{api.ValueTypeI64, api.ValueTypeI32}, none, func(stack []uint64) { s.memory[stack[0]] = byte(stack[1]) }},
		"store_u64":      {two, none, func(stack []uint64) { word.PutUint64(s.memory[stack[0]:], stack[1]) }},
		"input_length":   {none, i64, zero}, // no input
		"input_offset":   {none, i64, zero},
		"input_load_u8":  {i64, i32, zero},
		"input_load_u64": {i64, i64, zero},
		"output_set":     {two, none, func(stack []uint64) { s.output = s.memory[stack[0] : stack[0]+stack[1]] }},
		"error_set":      {i64, none, func(stack []uint64) { s.failure = s.block(stack[0]) }},
		"config_get":     {i64, i64, func(stack []uint64) { stack[0] = s.put([]byte(config[string(s.block(stack[0]))])) }},
		"var_get":        {i64, i64, func(stack []uint64) { stack[0] = s.put(s.vars[string(s.block(stack[0]))]) }},
		"var_set": {two, none, func(stack []uint64) {
			s.vars[string(s.block(stack[0]))] = append([]byte(nil), s.block(stack[1])...)
		}},
		"http_request": {two, i64, func(stack []uint64) {
			s.request = s.block(stack[0])
			if stack[1] != 0 {
				stack[0] = s.put(tokenAnswer)
				return
			}
			stack[0] = s.put(jobsAnswer)
		}},
		"http_status_code": {none, i32, func(stack []uint64) { stack[0] = 200 }},
		"http_headers":     {none, i64, zero},
		"get_log_level":    {none, i32, func(stack []uint64) { stack[0] = 5 }}, // off
	}
	for _, level := range []string{"trace", "debug", "info", "warn", "error"} {
		functions["log_"+level] = function{i64, none, nothing}
	}
	return functions
}

func (s *stub) alloc(size uint64) uint64 {
	at := s.next + 8
	s.next = (at + size + 7) &^ 7
	if s.next > uint64(len(s.memory)) {
		panic(fmt.Errorf("a call uses more than %d bytes of blocks", len(s.memory)))
	}
	binary.LittleEndian.PutUint64(s.memory[at-8:], size)
	return at
}

func (s *stub) length(offset uint64) uint64 {
	if offset == 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(s.memory[offset-8:])
}

func (s *stub) block(offset uint64) []byte { return s.memory[offset : offset+s.length(offset)] }

func (s *stub) put(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	offset := s.alloc(uint64(len(b)))
	copy(s.memory[offset:], b)
	return offset
}
