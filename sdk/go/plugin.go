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

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// embedded has the plugin, which make build copies there. The directory also has a hidden
// file, so that the package compiles without the plugin.
//
//go:embed all:wasm
var embedded embed.FS

// instance is an instance of the plugin, which runs one export at a time.
type instance struct {
	busy     chan struct{} // full while an export runs
	plugin   *extism.Plugin
	compiled *extism.CompiledPlugin
	cache    wazero.CompilationCache
	steps    keptSteps
	woken    atomic.Value // a chan struct{}, closed and replaced when waiting calls may continue
}

func (s *settings) load(ctx context.Context, config map[string]string) (*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wasm, err := s.plugin()
	if err != nil {
		return nil, err
	}
	i := &instance{busy: make(chan struct{}, 1), cache: wazero.NewCompilationCache()}
	i.woken.Store(make(chan struct{}))
	if s.cacheDir != "" {
		if i.cache, err = wazero.NewCompilationCacheWithDir(s.cacheDir); err != nil {
			return nil, err
		}
	}
	if err := i.start(ctx, wasm, config); err != nil {
		unloadable := fmt.Errorf("the plugin cannot be loaded: use rostering-nowasi.wasm of this library's release: %w", err)
		return nil, errors.Join(unloadable, i.close(ctx))
	}
	if s.logger != nil {
		extism.SetLogLevel(extism.LogLevelDebug)
		i.plugin.SetLogger(func(level extism.LogLevel, line string) { log(s.logger, level, line) })
	}
	return i, nil
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

// start compiles the plugin and creates its instance. The manifest has no allowed hosts, which
// disables the plugin's own HTTP; no timeout, which would close the instance for good; and no
// memory limits, because setting one of them sets the others to zero, and without vars the
// plugin keeps no token.
func (i *instance) start(ctx context.Context, wasm []byte, config map[string]string) (err error) {
	i.compiled, err = extism.NewCompiledPlugin(ctx,
		extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: config},
		extism.PluginConfig{RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(i.cache)}, nil)
	if err == nil {
		i.plugin, err = i.compiled.Instance(ctx, extism.PluginInstanceConfig{})
	}
	return err
}

// close frees the instance with everything that belongs to it.
func (i *instance) close(ctx context.Context) (err error) {
	if i.compiled != nil {
		err = i.compiled.Close(ctx)
	}
	return errors.Join(err, i.cache.Close(ctx))
}

// wakeup returns a channel that is closed by the next wake.
func (i *instance) wakeup() <-chan struct{} { return i.woken.Load().(chan struct{}) }

// wake lets the waiting calls continue.
func (i *instance) wake() { close(i.woken.Swap(make(chan struct{})).(chan struct{})) }

// log logs a line of the plugin, and omits those of go-sdk itself.
func log(logger *slog.Logger, level extism.LogLevel, line string) {
	if strings.HasPrefix(line, "Calling ") || strings.HasPrefix(line, "Initializing ") {
		return
	}
	to := slog.LevelDebug
	if level >= extism.LogLevelWarn {
		to = slog.LevelWarn
	}
	logger.Log(context.Background(), to, line)
}

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
	if _, output, err = i.plugin.Call(export, input); err == nil {
		return output, generation, nil
	}
	if object := i.plugin.GetError(); object != "" {
		return nil, 0, pluginError(object)
	}
	reason, _, _ := strings.Cut(err.Error(), "\n") // a stack trace follows
	return nil, 0, fmt.Errorf("rostering: the plugin failed: %s", reason)
}
