package bench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// stub is a host whose functions do next to nothing, so that the plugin's own time is measured. The host of
// tests/stubhost counts and judges each call, which costs more than the plugin.
type stub struct {
	runtime wazero.Runtime
	exports map[string]api.Function // looking one up is slow
	memory  []byte                  // blocks, each after a word with its length; a call begins with none
	next    uint64
	vars    map[string][]byte
	output  []byte
	failure []byte
	request []byte // the last one
}

func openStub(ctx context.Context, wasm []byte) (guest, error) {
	s := &stub{runtime: wazero.NewRuntime(ctx), memory: make([]byte, 1<<20), exports: map[string]api.Function{}, vars: map[string][]byte{}}
	compiled, err := s.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, err
	}
	env, functions := s.runtime.NewHostModuleBuilder("extism:host/env"), s.functions()
	for _, imported := range compiled.ImportedFunctions() {
		if module, name, _ := imported.Import(); module == "extism:host/env" {
			function := functions[name]
			if function == nil {
				return nil, errors.New("the stub host lacks " + name)
			}
			env.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) { function(stack) }),
				imported.ParamTypes(), imported.ResultTypes()).Export(name)
		}
	}
	if _, err := env.Instantiate(ctx); err != nil {
		return nil, err
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, s.runtime); err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithStartFunctions("_initialize")
	module, err := s.runtime.InstantiateModule(ctx, compiled, config)
	if err != nil {
		return nil, err
	}
	for name := range module.ExportedFunctionDefinitions() {
		s.exports[name] = module.ExportedFunction(name)
	}
	return s, nil
}

func (s *stub) close(ctx context.Context) { _ = s.runtime.Close(ctx) }

func (s *stub) sent() string {
	var r struct{ Headers map[string]string }
	_ = json.Unmarshal(s.request, &r)
	return r.Headers["Authorization"]
}

func (s *stub) call(ctx context.Context, export string) ([]byte, error) {
	s.next, s.output, s.failure = 0, nil, nil
	status, err := s.exports[export].Call(ctx)
	if err == nil && status[0] != 0 {
		err = errors.New(string(s.failure))
	}
	return s.output, err
}

// functions are the host's, whose arguments and result are in the stack.
func (s *stub) functions() map[string]func(stack []uint64) {
	word := binary.LittleEndian
	nothing := func([]uint64) {}
	length := func(stack []uint64) { stack[0] = s.length(stack[0]) }
	return map[string]func(stack []uint64){
		"alloc":            func(stack []uint64) { stack[0] = s.alloc(stack[0]) },
		"free":             nothing,
		"length":           length,
		"length_unsafe":    length,
		"load_u8":          func(stack []uint64) { stack[0] = uint64(s.memory[stack[0]]) },
		"load_u64":         func(stack []uint64) { stack[0] = word.Uint64(s.memory[stack[0]:]) },
		"store_u8":         func(stack []uint64) { s.memory[stack[0]] = byte(stack[1]) },
		"store_u64":        func(stack []uint64) { word.PutUint64(s.memory[stack[0]:], stack[1]) },
		"input_length":     func(stack []uint64) { stack[0] = 0 },
		"input_load_u8":    nothing,
		"input_load_u64":   nothing,
		"output_set":       func(stack []uint64) { s.output = s.memory[stack[0] : stack[0]+stack[1]] },
		"error_set":        func(stack []uint64) { s.failure = s.block(stack[0]) },
		"config_get":       func(stack []uint64) { stack[0] = s.put([]byte(config[string(s.block(stack[0]))])) },
		"var_get":          func(stack []uint64) { stack[0] = s.put(s.vars[string(s.block(stack[0]))]) },
		"var_set":          func(stack []uint64) { s.vars[string(s.block(stack[0]))] = append([]byte(nil), s.block(stack[1])...) },
		"http_request":     s.send,
		"http_status_code": func(stack []uint64) { stack[0] = 200 },
		"http_headers":     func(stack []uint64) { stack[0] = 0 },
		"get_log_level":    func(stack []uint64) { stack[0] = 5 }, // off
		"log_debug":        nothing,
		"log_warn":         nothing,
		"log_error":        nothing,
	}
}

func (s *stub) send(stack []uint64) {
	s.request = s.block(stack[0])
	response := jobs
	if stack[1] != 0 { // a body: the token request
		response = tokenResponse
	}
	stack[0] = s.put(response)
}

func (s *stub) alloc(size uint64) uint64 {
	at := s.next + 8
	s.next = (at + size + 7) &^ 7
	binary.LittleEndian.PutUint64(s.memory[at-8:], size) // a call with more blocks than fit panics
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
