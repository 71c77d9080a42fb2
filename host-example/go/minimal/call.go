package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"runtime"
	"runtime/debug"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// request is a line of standard input.
type request struct {
	ID                         int64
	Op, Instance, Wasm, Export string
	WASI                       bool
	Config                     map[string]string
	AllowedHosts               []string `json:"allowed_hosts"`
	Input                      []byte
}

type logLine struct {
	Level string `json:"level"`
	Line  string `json:"line"`
}

// call makes the calls that it reads, each a JSON object on a line, and writes their outputs and errors.
func call(ctx context.Context, in io.Reader, out io.Writer) error {
	extism.SetLogLevel(extism.LogLevelDebug)
	requests, responses := json.NewDecoder(in), json.NewEncoder(out)
	cache := wazero.NewCompilationCache()
	plugins := map[string]*extism.Plugin{}
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		response := map[string]any{"id": r.ID}
		switch plugin := plugins[r.Instance]; r.Op {
		case "versions":
			response["versions"] = versions()
		case "create":
			created, err := extism.NewPlugin(ctx, extism.Manifest{
				Wasm: []extism.Wasm{extism.WasmFile{Path: r.Wasm}}, Config: r.Config, AllowedHosts: r.AllowedHosts,
			}, extism.PluginConfig{EnableWasi: r.WASI, RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache)}, nil)
			if err != nil {
				response["trap"] = err.Error()
			}
			plugins[r.Instance] = created
		case "call":
			logs := []logLine{}
			plugin.SetLogger(func(level extism.LogLevel, line string) {
				if !strings.HasPrefix(line, "Calling ") && !strings.HasPrefix(line, "Initializing ") { // go-sdk's own
					logs = append(logs, logLine{strings.ToLower(level.String()), line})
				}
			})
			_, output, err := plugin.Call(r.Export, r.Input)
			response["logs"] = logs
			if object := plugin.GetError(); err != nil && object != "" {
				response["error"] = object
			} else if err != nil {
				response["trap"] = err.Error()
			} else {
				response["output"] = output
			}
		case "close":
			_ = plugin.Close(ctx)
			delete(plugins, r.Instance)
		default:
			response["trap"] = "no operation " + r.Op
		}
		if err := responses.Encode(response); err != nil {
			return err
		}
	}
}

func versions() string {
	all := runtime.Version()
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, m := range build.Deps {
			if m.Path == "github.com/extism/go-sdk" || m.Path == "github.com/tetratelabs/wazero" {
				all += ", " + path.Base(m.Path) + " " + m.Version
			}
		}
	}
	return all
}
