package rostering

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// The plugin, which make build puts there. The folder has another file, hidden, so that the
// package compiles without it.
//
//go:embed all:wasm
var inside embed.FS

// compiled is the plugin, compiled once for all instances.
type compiled struct {
	plugin *extism.CompiledPlugin
	cache  wazero.CompilationCache
}

// close frees the instances, too.
func (c *compiled) close(ctx context.Context) error {
	return errors.Join(c.plugin.Close(ctx), c.cache.Close(ctx))
}

func (s *settings) load(ctx context.Context, config map[string]string) (*compiled, []*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if s.instances < 1 {
		return nil, nil, fmt.Errorf("the number of instances must be at least 1, not %d", s.instances)
	}
	wasm, err := s.plugin()
	if err != nil {
		return nil, nil, err
	}
	c, err := s.compile(ctx, wasm, config)
	if err != nil {
		return nil, nil, err
	}
	instances := make([]*instance, s.instances)
	for n := range instances {
		if instances[n], err = c.instance(ctx, s.logger); err != nil {
			return nil, nil, errors.Join(err, c.close(ctx))
		}
	}
	return c, instances, nil
}

func (s *settings) plugin() ([]byte, error) {
	switch {
	case s.wasm != nil:
		return s.wasm, nil
	case s.wasmFile != "":
		return os.ReadFile(s.wasmFile)
	}
	wasm, err := inside.ReadFile("wasm/rostering-nowasi.wasm")
	if err != nil {
		return nil, errors.New("this copy of the package does not embed the plugin: take the package, run make build, or use WithPlugin")
	}
	return wasm, nil
}

// compile sets no allowed hosts, which disables the plugin's own HTTP; no time-out, which
// would close an instance for good; and no memory limits, because setting one of them sets
// the others to zero, and without vars the plugin keeps no token.
func (s *settings) compile(ctx context.Context, wasm []byte, config map[string]string) (*compiled, error) {
	cache := wazero.NewCompilationCache()
	if s.cacheDir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(s.cacheDir); err != nil {
			return nil, err
		}
	}
	plugin, err := extism.NewCompiledPlugin(ctx,
		extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: config},
		extism.PluginConfig{RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache)}, nil)
	if err != nil {
		return nil, errors.Join(unloadable(err), cache.Close(ctx))
	}
	return &compiled{plugin, cache}, nil
}

func unloadable(err error) error {
	return fmt.Errorf("the plugin cannot be loaded: use rostering-nowasi.wasm of this library's release: %w", err)
}

// instance is an instance of the plugin, which does one thing at a time.
type instance struct {
	busy   chan struct{} // full while the plugin works, and for nothing longer
	plugin *extism.Plugin
	warm   atomic.Pointer[warmStep]
	woken  atomic.Value // a chan struct{}, closed and replaced when a call that waits may continue
}

// wakeup returns a channel that is closed when a call that waits may continue.
func (i *instance) wakeup() <-chan struct{} { return i.woken.Load().(chan struct{}) }

func (i *instance) wake() { close(i.woken.Swap(make(chan struct{})).(chan struct{})) }

func (c *compiled) instance(ctx context.Context, logger *slog.Logger) (*instance, error) {
	plugin, err := c.plugin.Instance(ctx, extism.PluginInstanceConfig{})
	if err != nil {
		return nil, unloadable(err)
	}
	if logger != nil {
		extism.SetLogLevel(extism.LogLevelDebug)
		plugin.SetLogger(func(level extism.LogLevel, line string) { log(logger, level, line) })
	}
	i := &instance{busy: make(chan struct{}, 1), plugin: plugin}
	i.woken.Store(make(chan struct{}))
	return i, nil
}

// log leaves out the lines that go-sdk adds to the plugin's.
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

// call calls an export. A caller whose context ends does not wait for its turn.
func (i *instance) call(ctx context.Context, export string, input []byte) ([]byte, error) {
	select {
	case i.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, left(ctx)
	}
	defer func() { <-i.busy }()
	_, output, err := i.plugin.Call(export, input)
	if err == nil {
		return output, nil
	}
	if text := i.plugin.GetError(); text != "" {
		return nil, pluginError(text)
	}
	reason, _, _ := strings.Cut(err.Error(), "\n") // a stack trace follows
	return nil, fmt.Errorf("rostering: the plugin failed: %s", reason)
}

// warmStep is the first step of a call that has a token. The next call's is mostly the
// same, byte for byte, and need not be decoded again.
type warmStep struct {
	object []byte
	*step
}

// step calls an export that returns a step.
func (i *instance) step(ctx context.Context, export string, input []byte) (*step, error) {
	object, err := i.call(ctx, export, input)
	if err != nil {
		return nil, err
	}
	if warm := i.warm.Load(); warm != nil && bytes.Equal(object, warm.object) {
		return warm.step, nil
	}
	s, err := decodeStep(object)
	if err == nil && s.Last {
		i.warm.Store(&warmStep{object, s})
	}
	return s, err
}
