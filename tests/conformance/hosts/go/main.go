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
	"sync"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering/host-example/go/rostering"
	"automatic-rostering/tests/conformance/protocol"
)

func main() {
	extism.SetLogLevel(extism.LogLevelDebug)
	h := host{
		instances: map[string]*instance{}, cancels: map[int64]context.CancelFunc{},
		cache: wazero.NewCompilationCache(), client: &http.Client{Timeout: 10 * time.Second},
	}
	if err := h.run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type host struct {
	cache  wazero.CompilationCache
	client *http.Client // of calls that are driven

	mutex     sync.Mutex // guards the maps
	instances map[string]*instance
	cancels   map[int64]context.CancelFunc // of the drives under way, by their ids
}

type instance struct {
	mutex  sync.Mutex // held for each call of the plugin
	plugin *extism.Plugin
	logs   []protocol.Log
}

// run answers requests until in ends. A drive and a close do not keep the next request
// waiting; they end before run does.
func (h *host) run(ctx context.Context, in io.Reader, out io.Writer) error {
	var background sync.WaitGroup
	defer background.Wait()
	requests, answers := json.NewDecoder(bufio.NewReader(in)), &answers{encoder: json.NewEncoder(out)}
	for {
		var r protocol.Request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch r.Op {
		case "drive":
			ctx, cancel := context.WithCancel(ctx)
			h.setCancel(r.ID, cancel)
			background.Go(func() {
				answers.write(r, h.handle(ctx, r))
				h.setCancel(r.ID, nil)
				cancel()
			})
		case "close":
			background.Go(func() { answers.write(r, h.handle(ctx, r)) })
		default:
			answers.write(r, h.handle(ctx, r))
		}
	}
}

// answers writes one answer at a time.
type answers struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (a *answers) write(r protocol.Request, answer protocol.Answer) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	answer.ID = r.ID
	if err := a.encoder.Encode(answer); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func (h *host) setCancel(id int64, cancel context.CancelFunc) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if cancel == nil {
		delete(h.cancels, id)
	} else {
		h.cancels[id] = cancel
	}
}

func (h *host) cancel(id int64) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if cancel := h.cancels[id]; cancel != nil {
		cancel()
	}
}

func (h *host) instance(name string) *instance {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.instances[name]
}

func (h *host) setInstance(name string, i *instance) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if i == nil {
		delete(h.instances, name)
	} else {
		h.instances[name] = i
	}
}

func (h *host) handle(ctx context.Context, r protocol.Request) protocol.Answer {
	switch i := h.instance(r.Instance); {
	case r.Op == "versions":
		return protocol.Answer{Versions: versions()}
	case r.Op == "create":
		return h.create(ctx, r)
	case r.Op == "cancel":
		h.cancel(r.Target)
		return protocol.Answer{}
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
		h.setInstance(r.Instance, nil)
		i.plugin.Close(ctx)
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
	h.setInstance(r.Instance, i)
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
	i.mutex.Lock()
	defer i.mutex.Unlock()
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
