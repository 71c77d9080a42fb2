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

	"automatic-rostering/tests/runner/protocol"
)

func main() {
	extism.SetLogLevel(extism.LogLevelDebug)
	ctx, requests, responses := context.Background(), json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	cache := wazero.NewCompilationCache()
	var plugin *extism.Plugin
	for r := (protocol.Request{}); requests.Decode(&r) == nil; r = (protocol.Request{}) {
		response := protocol.Response{ID: r.ID}
		var err error
		switch r.Op {
		case "open":
			if plugin != nil {
				_ = plugin.Close(ctx)
			}
			plugin, err = extism.NewPlugin(ctx, extism.Manifest{
				Wasm: []extism.Wasm{extism.WasmFile{Path: r.Wasm}}, Config: r.Config, AllowedHosts: r.AllowedHosts,
			}, extism.PluginConfig{EnableWasi: r.WASI, RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache)}, nil)
		case "call":
			plugin.SetLogger(func(level extism.LogLevel, line string) {
				if !strings.HasPrefix(line, "Calling ") && !strings.HasPrefix(line, "Initializing ") { // go-sdk's own
					logged := protocol.Log{Level: strings.ToLower(level.String()), Line: line}
					_ = responses.Encode(protocol.Response{Event: "log", Log: logged})
				}
			})
			_, response.Output, err = plugin.Call(r.Export, r.Input)
		}
		if err != nil && plugin != nil && plugin.GetError() != "" {
			response.Error = plugin.GetError()
		} else if err != nil {
			response.Text = err.Error()
		}
		if err := responses.Encode(response); err != nil {
			log.Fatal(err)
		}
	}
}
