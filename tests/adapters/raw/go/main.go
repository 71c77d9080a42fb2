// The raw host in Go: see tests/adapters/README.md.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering.example/rostering/tests/runner/protocol"
)

func main() {
	extism.SetLogLevel(extism.LogLevelDebug)
	ctx, cache := context.Background(), wazero.NewCompilationCache()
	var plugin *extism.Plugin
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for r := (protocol.Request{}); in.Decode(&r) == nil; r = (protocol.Request{}) {
		a := protocol.Response{ID: r.ID}
		var err error
		if r.Op == "open" {
			if plugin != nil {
				_ = plugin.Close(ctx)
			}
			plugin, err = extism.NewPlugin(ctx, extism.Manifest{
				Wasm: []extism.Wasm{extism.WasmFile{Path: r.Wasm}}, Config: r.Config, AllowedHosts: r.AllowedHosts,
			}, extism.PluginConfig{EnableWasi: r.WASI, RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache)}, nil)
		} else {
			plugin.SetLogger(func(level extism.LogLevel, line string) {
				if !strings.HasPrefix(line, "Calling ") && !strings.HasPrefix(line, "Initializing ") { // go-sdk's own
					_ = out.Encode(protocol.Response{Event: "log", Log: protocol.Log{Level: strings.ToLower(level.String()), Line: line}})
				}
			})
			_, a.Output, err = plugin.Call(r.Export, r.Input)
		}
		if err != nil && plugin != nil && plugin.GetError() != "" {
			a.Error = plugin.GetError()
		} else if err != nil {
			a.Text = err.Error()
		}
		if err := out.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
}
