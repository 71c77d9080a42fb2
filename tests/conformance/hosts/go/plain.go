package main

import (
	"context"
	"strings"
	"sync"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/conformance/protocol"
)

// plain is an instance of go-sdk.
type plain struct {
	mutex  sync.Mutex // held during each call of the plugin
	plugin *extism.Plugin
	logs
}

func (h *host) createPlain(ctx context.Context, r protocol.Request) (instance, error) {
	manifest := extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmFile{Path: r.Wasm}},
		Config:       r.Config,
		AllowedHosts: r.AllowedHosts,
	}
	plugin, err := extism.NewPlugin(ctx, manifest, extism.PluginConfig{
		EnableWasi:    r.WASI,
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(h.cache),
	}, nil)
	if err != nil {
		return nil, err
	}
	p := &plain{plugin: plugin}
	plugin.SetLogger(func(level extism.LogLevel, line string) {
		names := map[extism.LogLevel]string{extism.LogLevelDebug: "debug", extism.LogLevelWarn: "warn"}
		if !strings.HasPrefix(line, "Calling ") && !strings.HasPrefix(line, "Initializing ") { // go-sdk's own
			p.add(names[level], line)
		}
	})
	return p, nil
}

func (p *plain) call(_ context.Context, r protocol.Request) protocol.Response {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.clear()
	_, output, err := p.plugin.Call(r.Export, r.Input)
	a := protocol.Response{Output: output, Logs: p.all()}
	if err != nil {
		a.Output = nil
		if a.Error = p.plugin.GetError(); a.Error == "" {
			a.Trap = err.Error()
		}
	}
	return a
}

func (p *plain) drive(context.Context, protocol.Request) protocol.Response {
	return protocol.Response{Trap: "only a client can be driven"}
}

func (p *plain) close(ctx context.Context) protocol.Response {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	_ = p.plugin.Close(ctx)
	return protocol.Response{}
}
