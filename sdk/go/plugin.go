package rostering

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// embedded has the plugin, which make build copies there. The directory also has a hidden
// file, so that the package compiles without the plugin.
//
//go:embed all:wasm
var embedded embed.FS

// instance is an instance of the plugin, which runs one export at a time.
type instance struct {
	busy    chan struct{} // full while an export runs
	host    extismHost
	runtime wazero.Runtime
	module  api.Module
	steps   keptSteps
	woken   atomic.Value // a chan struct{}, closed and replaced when waiting calls may continue
}

func (s *settings) load(ctx context.Context, config map[string]string) (*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wasm, err := s.plugin()
	if err != nil {
		return nil, err
	}
	i := &instance{busy: make(chan struct{}, 1), host: extismHost{config: config, vars: map[string]string{}, log: s.log}}
	i.woken.Store(make(chan struct{}))
	// An interpreter, because the plugin runs a few times for each token, and compiling it
	// takes longer than all of them.
	i.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(mostPages))
	if err := i.start(ctx, wasm); err != nil {
		unloadable := fmt.Errorf("the plugin cannot be loaded: use rostering-nowasi.wasm of this library's release: %w", err)
		return nil, errors.Join(unloadable, i.close(ctx))
	}
	return i, nil
}

func (s *settings) log(level slog.Level, line string) {
	if s.logger != nil {
		s.logger.Log(context.Background(), level, line)
	}
}

func (s *settings) plugin() ([]byte, error) {
	if s.wasm != nil {
		return s.wasm, nil
	}
	wasm, err := embedded.ReadFile("wasm/rostering-nowasi.wasm")
	if err != nil {
		return nil, errors.New("this copy of the module has no plugin: install the module from the release, or run make build, or use WithPlugin")
	}
	return wasm, nil
}

// start creates the instance.
func (i *instance) start(ctx context.Context, wasm []byte) error {
	if _, err := i.host.functions(i.runtime).Instantiate(ctx); err != nil {
		return err
	}
	compiled, err := i.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return err
	}
	for _, function := range compiled.ImportedFunctions() {
		module, name, _ := function.Import()
		if host := i.runtime.Module(module); host == nil || host.ExportedFunctionDefinitions()[name] == nil {
			return fmt.Errorf("it imports the function %s of %s, which this library does not have", name, module)
		}
	}
	i.module, err = i.runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions())
	return err
}

// close frees the instance with everything that belongs to it.
func (i *instance) close(ctx context.Context) error { return i.runtime.Close(ctx) }

// wakeup returns a channel that is closed by the next wake.
func (i *instance) wakeup() <-chan struct{} { return i.woken.Load().(chan struct{}) }

// wake lets the waiting calls continue.
func (i *instance) wake() { close(i.woken.Swap(make(chan struct{})).(chan struct{})) }

// call calls an export that may change the plugin's state.
func (i *instance) call(ctx context.Context, export string, input []byte) ([]byte, error) {
	output, _, err := i.use(ctx, export, input, true)
	return output, err
}

// begin begins a call and returns its first step. It keeps the step if the plugin allows that.
func (i *instance) begin(ctx context.Context, b *beginning, key string) (*step, error) {
	input, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	object, generation, err := i.use(ctx, "begin", input, b.Input.Refused != nil)
	if err != nil {
		return nil, err
	}
	s, err := decodeStep(object)
	if err == nil {
		i.steps.keep(key, s, generation)
	}
	return s, err
}

// use calls an export, and returns its output with the generation of the kept steps. A caller
// whose context ends does not wait for its turn.
func (i *instance) use(ctx context.Context, export string, input []byte, changes bool) (output []byte, generation int, err error) {
	select {
	case i.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, 0, left(ctx)
	}
	defer func() { <-i.busy }()
	generation = i.steps.use(changes)
	output, err = i.run(ctx, export, input)
	return output, generation, err
}

// run calls an export. It returns 0 if it has set its output, or else its error.
func (i *instance) run(ctx context.Context, export string, input []byte) ([]byte, error) {
	function := i.module.ExportedFunction(export)
	if function == nil {
		return nil, fmt.Errorf("rostering: the plugin has no export %q", export)
	}
	i.host.reset(input)
	defer i.host.reset(nil)
	results, err := function.Call(ctx)
	switch {
	case err != nil:
		reason, _, _ := strings.Cut(err.Error(), "\n") // a stack trace follows
		return nil, fmt.Errorf("rostering: the plugin failed: %s", strings.TrimSuffix(reason, " (recovered by wazero)"))
	case len(results) == 1 && results[0] == 0:
		return i.host.output, nil
	}
	return nil, pluginError(i.host.failure)
}
