// The raw host in Go: see tests/adapters/README.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// request is a line of standard input.
type request struct {
	ID               int64
	Op, Wasm, Export string
	WASI             bool
	Config           map[string]string
	AllowedHosts     []string `json:"allowed_hosts"`
	Input            []byte
}

func main() {
	extism.SetLogLevel(extism.LogLevelDebug)
	ctx, requests, responses := context.Background(), json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	cache := wazero.NewCompilationCache()
	var plugin *extism.Plugin
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		response := map[string]any{"id": r.ID}
		var err error
		switch r.Op {
		case "versions":
			response["versions"] = versions()
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
					_ = responses.Encode(map[string]any{"event": "log", "level": strings.ToLower(level.String()), "line": line})
				}
			})
			_, response["output"], err = plugin.Call(r.Export, r.Input)
		}
		if err != nil && plugin != nil && plugin.GetError() != "" {
			response["error"] = plugin.GetError()
		} else if err != nil {
			response["trap"] = err.Error()
		}
		if err := responses.Encode(response); err != nil {
			log.Fatal(err)
		}
	}
}

func versions() string {
	all := runtime.Version()
	build, _ := debug.ReadBuildInfo()
	for _, m := range build.Deps {
		if m.Path == "github.com/extism/go-sdk" || m.Path == "github.com/tetratelabs/wazero" {
			all += ", " + path.Base(m.Path) + " " + m.Version
		}
	}
	return all
}
