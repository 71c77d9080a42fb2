package rostering

import (
	"context"
	"errors"
	"log/slog"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// compiled is the plugin, compiled once for any number of instances.
type compiled struct {
	plugin *extism.CompiledPlugin
	cache  wazero.CompilationCache
}

// compile compiles the plugin. The cache is the result's from here on.
func compile(ctx context.Context, m extism.Manifest, cache wazero.CompilationCache) (*compiled, error) {
	plugin, err := extism.NewCompiledPlugin(ctx, m, extism.PluginConfig{
		EnableWasi:    true,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache),
	}, nil)
	if err != nil {
		return nil, errors.Join(err, cache.Close(ctx))
	}
	return &compiled{plugin, cache}, nil
}

func (c *compiled) instance(ctx context.Context, log func(slog.Level, string)) (*extism.Plugin, error) {
	plugin, err := c.plugin.Instance(ctx, extism.PluginInstanceConfig{
		// wazero's own clock starts in 2022, which the plugin does not believe.
		ModuleConfig: wazero.NewModuleConfig().WithSysWalltime(),
	})
	if err != nil {
		return nil, err
	}
	for _, name := range exports {
		if !plugin.FunctionExists(name) {
			return nil, errors.New("this is not the rostering plugin, or an older one: it does not export " + name)
		}
	}
	plugin.SetLogger(pluginLines(log))
	return plugin, nil
}

// close frees what was compiled, and all instances.
func (c *compiled) close(ctx context.Context) error {
	return errors.Join(c.plugin.Close(ctx), c.cache.Close(ctx))
}
