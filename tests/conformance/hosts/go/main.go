// Go is the host adapter for go-sdk: see package protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/conformance/protocol"
)

func main() {
	extism.SetLogLevel(extism.LogLevelDebug)
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	h := host{cache: wazero.NewCompilationCache(), instances: map[string]instance{}, cancels: map[int64]context.CancelFunc{}}
	return h.run(ctx, in, out)
}

type host struct {
	cache wazero.CompilationCache // of plain instances

	mutex     sync.Mutex // guards the maps
	instances map[string]instance
	cancels   map[int64]context.CancelFunc // of the drives in progress, by their ids
}

// instance is an instance of the SDK or a client of the library.
type instance interface {
	call(ctx context.Context, r protocol.Request) protocol.Response
	drive(ctx context.Context, r protocol.Request) protocol.Response
	close(ctx context.Context) protocol.Response
}

// run handles requests until in ends. A drive or a close does not delay the next request, and ends
// before run does.
func (h *host) run(ctx context.Context, in io.Reader, out io.Writer) error {
	var background sync.WaitGroup
	defer background.Wait()
	requests, responses := json.NewDecoder(bufio.NewReader(in)), &responses{encoder: json.NewEncoder(out)}
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
				responses.write(r, h.handle(ctx, r))
				h.setCancel(r.ID, nil)
				cancel()
			})
		case "close":
			background.Go(func() { responses.write(r, h.handle(ctx, r)) })
		default:
			responses.write(r, h.handle(ctx, r))
		}
	}
}

// responses writes one response at a time.
type responses struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (a *responses) write(r protocol.Request, response protocol.Response) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	response.ID = r.ID
	if err := a.encoder.Encode(response); err != nil {
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

func (h *host) instance(name string) instance {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.instances[name]
}

func (h *host) handle(ctx context.Context, r protocol.Request) protocol.Response {
	switch i := h.instance(r.Instance); {
	case r.Op == "versions":
		return protocol.Response{Versions: versions()}
	case r.Op == "create":
		return h.create(ctx, r)
	case r.Op == "cancel":
		h.cancel(r.Target)
		return protocol.Response{}
	case i == nil:
		return protocol.Response{Trap: "no instance " + r.Instance}
	case r.Op == "call":
		return i.call(ctx, r)
	case r.Op == "drive":
		return i.drive(ctx, r)
	case r.Op == "close":
		return i.close(ctx)
	}
	return protocol.Response{Trap: "no operation " + r.Op}
}

func (h *host) create(ctx context.Context, r protocol.Request) protocol.Response {
	create := h.createPlain
	if r.Client {
		create = h.createClient
	}
	i, err := create(ctx, r)
	if err != nil {
		return failed(err)
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.instances[r.Instance] = i
	return protocol.Response{}
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

// logs has the plugin's log lines since a call began.
type logs struct {
	mutex sync.Mutex
	lines []protocol.Log
}

func (l *logs) clear() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = nil
}

func (l *logs) add(level, line string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = append(l.lines, protocol.Log{Level: level, Line: line})
}

func (l *logs) all() []protocol.Log {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.lines)
}
