package rostering

import (
	"context"
	"errors"
	"fmt"
	"os"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// The exports that a client calls.
const (
	getToken = "get_token"
	listJobs = "list_jobs"
)

// OpenFile is [Open] for a plugin in a file.
func OpenFile(ctx context.Context, path string, config Config, options ...Option) (*Client, error) {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("rostering: read the plugin: %w", err)
	}
	return Open(ctx, wasm, config, options...)
}

// Open makes an instance of the plugin. It sends nothing yet: a wrong config
// shows at the first call.
func Open(ctx context.Context, wasm []byte, config Config, options ...Option) (*Client, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rostering: open: %w", err)
	}
	s := newSettings(options)
	c, err := s.load(ctx, manifest(wasm, &config))
	if err != nil {
		return nil, fmt.Errorf("rostering: open: %w", err)
	}
	c.timeout = config.timeout()
	c.plugin.SetLogger(pluginLines(s.log))
	return c, nil
}

// manifest has no Timeout: once it has passed, go-sdk has closed the instance for
// good, and the token is lost. A context ends a call as well; see [Client.run].
// Nor has it a Memory: to set one of its limits is to set the others to zero, and
// without vars the plugin cannot keep a token.
func manifest(wasm []byte, config *Config) extism.Manifest {
	return extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmData{Data: wasm}},
		Config:       config.keys(),
		AllowedHosts: config.hosts(),
	}
}

// instantiate makes the client's instance. The cache is the client's from here
// on; it also holds the machine code of an instance that came to nothing.
func instantiate(ctx context.Context, m extism.Manifest, cache wazero.CompilationCache) (*Client, error) {
	plugin, err := extism.NewPlugin(ctx, m, extism.PluginConfig{
		EnableWasi:    true,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache),
		// wazero's own clock starts in 2022, which the plugin does not believe.
		ModuleConfig: wazero.NewModuleConfig().WithSysWalltime(),
	}, nil)
	if err != nil {
		return nil, errors.Join(err, cache.Close(ctx))
	}
	c := newClient(plugin, cache)
	if !plugin.FunctionExists(getToken) || !plugin.FunctionExists(listJobs) {
		return nil, errors.Join(errors.New("this is not the rostering plugin"), c.Close(ctx))
	}
	return c, nil
}
