package play

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"automatic-rostering.example/rostering/tests/runner/protocol"
)

// Built is rostering-core.wasm as a raw host, in the process of the tests, as docs/contract.md
// describes it for hosts without Extism.
type Built struct {
	State    []byte
	instance api.Module
	logs     []protocol.Log
}

// pages are those of an instance's memory at most, of 64 KiB: 16 MiB in all.
const pages = 256

// NewBuilt instantiates the file, until the context ends.
func NewBuilt(ctx context.Context, file string) (*Built, error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(pages))
	context.AfterFunc(ctx, func() { _ = runtime.Close(context.Background()) })
	instance, err := runtime.Instantiate(ctx, wasm)
	return &Built{instance: instance}, err
}

// Send takes a request.
func (h *Built) Send(r protocol.Request) (*protocol.Pending, error) {
	switch r.Op {
	case "open":
		return protocol.Responded(h.Open(r.Config)), nil
	case "call":
		return protocol.Responded(h.Call(r.Export, r.Input)), nil
	}
	return nil, fmt.Errorf("no operation %q", r.Op)
}

// Open begins with an empty state.
func (h *Built) Open(config map[string]string) protocol.Response {
	h.State, h.logs = nil, nil
	input, err := json.Marshal(config)
	if err != nil {
		return broken(err)
	}
	return h.Call("configure", input)
}

// Logs are the lines of the log.
func (h *Built) Logs(string) []protocol.Log { return h.logs }

// Size is that of the memory, in bytes.
func (h *Built) Size() uint32 { return h.instance.Memory().Size() }

// Call calls an export. A trap leaves the state from before.
func (h *Built) Call(export string, input []byte) (a protocol.Response) {
	memory := h.instance.Memory()
	at, err := h.run("room", uint64(len(h.State)+len(input)))
	if err == nil && !memory.Write(at, slices.Concat(h.State, input)) {
		err = fmt.Errorf("room returned %d, where the input does not fit", at)
	}
	if err == nil {
		at, err = h.run(export, uint64(len(h.State)), uint64(len(input)))
	}
	if err != nil {
		return protocol.Response{Text: err.Error()}
	}
	head, _ := memory.Read(at, 16)
	parts, _ := memory.Read(at+16, memory.Size()-at-16)
	next := func(i int) (part []byte) {
		size := binary.LittleEndian.Uint32(head[4*i:])
		part, parts = parts[:size], parts[size:]
		return append([]byte{}, part...) // which the next call overwrites
	}
	h.State = next(1)
	output, log := next(2), next(3)
	names := map[byte]string{'d': "debug", 'w': "warn"}
	for line := range strings.Lines(string(log)) {
		l := protocol.Log{Level: names[line[0]], Line: strings.TrimSuffix(line[1:], "\n")}
		h.logs = append(h.logs, l)
	}
	if head[0] == 1 {
		return protocol.Response{Error: string(output)}
	}
	return protocol.Response{Output: output}
}

func (h *Built) run(export string, parameters ...uint64) (at uint32, err error) {
	function := h.instance.ExportedFunction(export)
	if function == nil {
		return 0, fmt.Errorf("no export %q", export)
	}
	results, err := function.Call(context.Background(), parameters...)
	if err != nil {
		return 0, err
	}
	return uint32(results[0]), nil
}
