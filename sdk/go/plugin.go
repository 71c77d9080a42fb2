package rostering

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

//go:embed rostering-nowasi.wasm
var embedded []byte

// instance is an instance of the plugin, which runs one export at a time.
type instance struct {
	turn    sync.Mutex
	host    extismHost
	runtime wazero.Runtime
	module  api.Module
}

func (s *settings) load(ctx context.Context, config map[string]string) (*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wasm := s.wasm
	if wasm == nil {
		wasm = embedded
	}
	i := &instance{host: extismHost{config: config, vars: map[string]string{}}}
	// An interpreter, because the plugin runs a few times for each token, and compiling it
	// takes longer than all of them.
	i.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(mostPages))
	if err := i.start(ctx, wasm); err != nil {
		unloadable := fmt.Errorf("the plugin cannot be loaded: use rostering-nowasi.wasm of this library's release: %w", err)
		return nil, errors.Join(unloadable, i.close(ctx))
	}
	return i, nil
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

// use calls an export, and then passes its outcome on before the next one runs: so what the
// library keeps changes in the same order as the plugin's state. It returns what is to be logged.
func (i *instance) use(export string, input []byte, then func(output []byte, err error)) []line {
	i.turn.Lock()
	defer i.turn.Unlock()
	then(i.run(export, input))
	return i.host.lines
}

// run calls an export. It returns 0 if it has set its output, or else its error.
func (i *instance) run(export string, input []byte) ([]byte, error) {
	function := i.module.ExportedFunction(export)
	if function == nil {
		return nil, fmt.Errorf("rostering: the plugin has no export %q", export)
	}
	i.host.reset(input)
	results, err := function.Call(context.Background())
	switch {
	case err != nil:
		reason, _, _ := strings.Cut(err.Error(), "\n") // a stack trace follows
		return nil, fmt.Errorf("rostering: the plugin failed: %s", strings.TrimSuffix(reason, " (recovered by wazero)"))
	case len(results) == 1 && results[0] == 0:
		return i.host.output, nil
	}
	return nil, pluginError(i.host.failure)
}
