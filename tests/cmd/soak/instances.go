package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"

	"automatic-rostering/tests/conformance/contract"
)

// instances are those of the random sequences, in both builds: with a clock, and without one.
type instances struct {
	all      map[bool][]*instance
	compiled []*extism.CompiledPlugin
	contract contract.Contract
	before   map[*instance]uint32 // pages of memory
	heap     uint64
}

// instance lives as long as the soak; between two sequences it forgets its vars.
type instance struct {
	*extism.Plugin
	clock int64
}

// most is how many instances a sequence has.
const most = 3

func open(ctx context.Context, top string) (*instances, error) {
	schema, err := contract.Read(top)
	if err != nil {
		return nil, err
	}
	all := &instances{all: map[bool][]*instance{}, contract: schema}
	for clock, file := range map[bool]string{true: "rostering.wasm", false: "rostering-nowasi.wasm"} {
		wasm, err := os.ReadFile(filepath.Join(top, "dist", file))
		if err != nil {
			return nil, err
		}
		compiled, err := extism.NewCompiledPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}},
			extism.PluginConfig{EnableWasi: clock}, nil)
		if err != nil {
			return nil, err
		}
		all.compiled = append(all.compiled, compiled)
		for range most {
			i := &instance{}
			walltime := func() (int64, int32) { return i.clock, 0 }
			if i.Plugin, err = compiled.Instance(ctx, extism.PluginInstanceConfig{
				ModuleConfig: wazero.NewModuleConfig().WithWalltime(walltime, sys.ClockResolution(time.Millisecond)),
			}); err != nil {
				return nil, err
			}
			all.all[clock] = append(all.all[clock], i)
		}
	}
	return all, nil
}

func (a *instances) close(ctx context.Context) {
	for _, c := range a.compiled {
		_ = c.Close(ctx)
	}
}

func (a *instances) each(f func(*instance)) {
	for _, these := range a.all {
		for _, i := range these {
			f(i)
		}
	}
}

func (a *instances) forget() { a.each(func(i *instance) { clear(i.Var) }) }

// take has the build that fits take a call.
func (a *instances) take(ctx context.Context, e *entry) error {
	i := a.all[e.WASI][e.Instance]
	i.Config, i.clock = e.Config, e.Clock
	status, output, err := i.CallWithContext(ctx, e.Export, []byte(e.Input))
	text, failed := string(output), false
	if err != nil || status != 0 {
		text, failed = i.GetError(), true
		if text == "" {
			return fmt.Errorf("%s trapped: %w\n  input: %s", e.Export, err, e.Input)
		}
	}
	failure := ""
	if failed {
		failure = text
	}
	if err := a.contract.Returns(e.Export, []byte(text), failure); err != nil {
		return fmt.Errorf("%w\n  input: %s", err, e.Input)
	}
	if text != e.Output || failed != e.Failed {
		return fmt.Errorf("%s differs\n  input:    %s\n  built:    %s\n  the core: %s", e.Export, e.Input, text, e.Output)
	}
	return nil
}

// measure notes what memory the instances have.
func (a *instances) measure() {
	a.before = map[*instance]uint32{}
	a.each(func(i *instance) { a.before[i] = i.Memory().Size() })
	a.heap = heap()
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// flat wants memory not to have grown since measure.
func (a *instances) flat(w io.Writer) error {
	before, sum := uint64(0), uint64(0)
	a.each(func(i *instance) {
		before += uint64(a.before[i])
		sum += uint64(i.Memory().Size())
	})
	now := heap()
	fmt.Fprintf(w, "memory: %d KB of %d instances in the guest, half-way %d; %d KB of the host's heap, half-way %d\n",
		sum>>10, 2*most, before>>10, now>>10, a.heap>>10)
	// A sequence may have larger inputs than any before.
	if sum > before+before/4 || now > a.heap+a.heap/4+1<<20 {
		return errors.New("memory grows")
	}
	return nil
}
