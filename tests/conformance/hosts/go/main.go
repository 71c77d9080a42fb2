// Go is the host adapter for go-sdk: see package protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering/host-example/go/rostering"
	"automatic-rostering/tests/conformance/protocol"
)

func main() {
	extism.SetLogLevel(extism.LogLevelDebug)
	h := host{instances: map[string]*instance{}, cache: wazero.NewCompilationCache(), client: &http.Client{Timeout: 10 * time.Second}}
	if err := h.run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type host struct {
	instances map[string]*instance
	cache     wazero.CompilationCache
	client    *http.Client // of calls that are driven
}

type instance struct {
	plugin *extism.Plugin
	logs   []protocol.Log
}

func (h *host) run(ctx context.Context, in io.Reader, out io.Writer) error {
	requests, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var r protocol.Request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(h.handle(ctx, r)); err != nil {
			return err
		}
	}
}

func (h *host) handle(ctx context.Context, r protocol.Request) protocol.Answer {
	switch i := h.instances[r.Instance]; {
	case r.Op == "versions":
		return protocol.Answer{Versions: versions()}
	case r.Op == "create":
		return h.create(ctx, r)
	case i == nil:
		return protocol.Answer{Trap: "no instance " + r.Instance}
	case r.Op == "call":
		i.logs = nil
		output, err := i.Call(r.Export, r.Input)
		return i.answer(output, err)
	case r.Op == "drive":
		i.logs = nil
		output, err := rostering.Drive(ctx, i, r.Export, r.Input, h.client)
		return i.answer(output, err)
	case r.Op == "close":
		i.plugin.Close(ctx)
		delete(h.instances, r.Instance)
		return protocol.Answer{}
	}
	return protocol.Answer{Trap: "no operation " + r.Op}
}

func (h *host) create(ctx context.Context, r protocol.Request) protocol.Answer {
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
		return protocol.Answer{Trap: err.Error()}
	}
	i := &instance{plugin: plugin}
	plugin.SetLogger(func(level extism.LogLevel, line string) {
		names := map[extism.LogLevel]string{extism.LogLevelDebug: "debug", extism.LogLevelWarn: "warn"}
		if !strings.HasPrefix(line, "Calling ") && !strings.HasPrefix(line, "Initializing ") { // go-sdk's own
			i.logs = append(i.logs, protocol.Log{Level: names[level], Line: line})
		}
	})
	h.instances[r.Instance] = i
	return protocol.Answer{}
}

func versions() string {
	all := runtime.Version()
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, m := range build.Deps {
			if name, found := strings.CutPrefix(m.Path, "github.com/extism/"); found {
				all += ", " + name + " " + m.Version
			}
		}
	}
	return all
}

// pluginError is the plugin's own error text.
type pluginError string

func (e pluginError) Error() string { return string(e) }

// Call calls an export. An error is a pluginError, unless the call trapped.
func (i *instance) Call(export string, input []byte) ([]byte, error) {
	_, output, err := i.plugin.Call(export, input)
	if text := i.plugin.GetError(); err != nil && text != "" {
		return nil, pluginError(text)
	}
	return output, err
}

func (i *instance) answer(output []byte, err error) protocol.Answer {
	var own pluginError
	switch {
	case errors.As(err, &own):
		return protocol.Answer{Error: string(own), Logs: i.logs}
	case err != nil:
		return protocol.Answer{Trap: err.Error(), Logs: i.logs}
	}
	return protocol.Answer{Output: output, Logs: i.logs}
}
