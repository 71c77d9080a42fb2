package rostering

import (
	"context"
	"crypto/sha256"
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

// compiled is a compiled plugin, of which the clients have instances. It is kept as long as the
// process lives, so that a further client takes little time and memory.
type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

var (
	compiling   sync.Mutex
	allCompiled = map[[sha256.Size]byte]*compiled{} // by the hash of the file
)

// compile compiles a plugin, unless that has been done.
func compile(wasm []byte) (*compiled, error) {
	compiling.Lock()
	defer compiling.Unlock()
	key := sha256.Sum256(wasm)
	if c := allCompiled[key]; c != nil {
		return c, nil
	}
	ctx := context.Background()
	// An interpreter, because the plugin runs a few times for each token, and compiling it
	// takes longer than all of them.
	c := &compiled{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(mostPages))}
	if err := c.load(ctx, wasm); err != nil {
		return nil, errors.Join(err, c.runtime.Close(ctx))
	}
	allCompiled[key] = c
	return c, nil
}

func (c *compiled) load(ctx context.Context, wasm []byte) error {
	_, err := functions(c.runtime).Instantiate(ctx)
	if err != nil {
		return err
	}
	if c.module, err = c.runtime.CompileModule(ctx, wasm); err != nil {
		return err
	}
	for _, function := range c.module.ImportedFunctions() {
		module, name, _ := function.Import()
		if host := c.runtime.Module(module); host == nil || host.ExportedFunctionDefinitions()[name] == nil {
			return fmt.Errorf("it imports the function %s of %s, which this library does not have", name, module)
		}
	}
	return nil
}

// instance is an instance of the plugin, which runs one export at a time.
type instance struct {
	turn   sync.Mutex
	host   extismHost
	module api.Module
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
	c, err := compile(wasm)
	if err == nil {
		i.module, err = c.runtime.InstantiateModule(i.host.context(), c.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	}
	if err != nil {
		return nil, fmt.Errorf("the plugin cannot be loaded: use rostering-nowasi.wasm of this library's release: %w", err)
	}
	return i, nil
}

// close frees the instance, except for what all instances share.
func (i *instance) close() error {
	i.turn.Lock()
	defer i.turn.Unlock()
	return i.module.Close(context.Background())
}

// setSecret changes client_secret in the config, if the plugin accepts that.
func (i *instance) setSecret(secret string) error {
	i.turn.Lock()
	defer i.turn.Unlock()
	before := i.host.config["client_secret"]
	i.host.config["client_secret"] = secret
	_, err := i.run("check", nil)
	if err != nil {
		i.host.config["client_secret"] = before
	}
	return err
}

// use calls an export, and then passes its outcome on before the next one runs: so what the
// library keeps changes in the same order as the plugin's state. It returns what is to be logged.
func (i *instance) use(export string, input []byte, then func(output []byte, err error)) []line {
	i.turn.Lock()
	defer i.turn.Unlock()
	then(i.run(export, input))
	return i.host.lines
}

// run calls an export, and returns its output or its error.
func (i *instance) run(export string, input []byte) ([]byte, error) {
	function := i.module.ExportedFunction(export)
	if function == nil {
		return nil, pluginFailed("no export " + export)
	}
	i.host.reset(input)
	results, err := function.Call(i.host.context())
	switch {
	case err != nil:
		reason, _, _ := strings.Cut(err.Error(), "\n") // a stack trace follows
		return nil, pluginFailed(strings.TrimSuffix(reason, " (recovered by wazero)"))
	case len(results) == 1 && results[0] == 0:
		return i.host.output, nil
	}
	return nil, pluginError(i.host.failure)
}
