// Package hosts knows the hosts that the scenarios run on, and starts their adapters.
package hosts

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/core"
	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hostile"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
	"automatic-rostering/tests/conformance/script"
)

// Host is a host with a build of the plugin.
type Host struct {
	Name string
	// Language is that of a library, by its folder of sdk.
	Language string
	// Package is its adapter, if that is written in Go; Command has its arguments.
	Package string
	// Folder is that of its Go module, or where Command starts the adapter. The core has none,
	// as it runs in this process.
	Folder  string
	Command []string
	// Wasm is the build that it loads, if any, and WASI whether that imports WASI.
	Wasm string
	WASI bool
	// Flows and Library are as in [run.Host].
	Flows, Library bool
	// All says that it runs all scenarios, and not only those for every host.
	All bool
}

// Hosts that tests name.
var (
	Core        = Host{Name: "core", All: true}
	CoreInFlows = Host{Name: "core-in-flows", All: true, Flows: true}
	Go          = goSDK("go", "dist/rostering.wasm", true).all()
	GoLibrary   = Host{Name: "go", Language: "go", Folder: "sdk/go", Command: []string{"../../build/adapters/go/adapter"}, Library: true}
)

// The hosts of the core alone, and of Go. The build with poison fills the heap with a
// pattern between calls, so that what outlives its call shows there.
var (
	coreHosts = []Host{Core, CoreInFlows}
	goHosts   = []Host{
		Go,
		goSDK("go-nowasi", "dist/rostering-nowasi.wasm", false),
		goSDK("go-poison", "build/rostering-poison.wasm", true).all(),
	}
)

func goSDK(name, wasm string, wasi bool) Host {
	return Host{Name: name, Folder: "host-example/go", Package: "./call", Wasm: wasm, WASI: wasi}
}

func (h Host) all() Host {
	h.All = true
	return h
}

// Differs reports whether a host is one of the differences, which are by language or by name.
func (h Host) Differs(differences map[string]string) bool {
	return differences[h.Language] != "" || differences[h.Name] != ""
}

// Root is the folder of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../..")
}

// adapters are those that run: one serves all hosts that have it, in all tests.
var adapters struct {
	sync.Mutex
	running map[string]*protocol.Process
	wrote   []*canary.Watch // to standard error
	folder  string          // of those that are built
}

// canaries are what no adapter may write: the secrets and tokens of all tests.
var canaries = []string{scenario.Secret, hostile.Secret, held.Secret, "token-00"}

// Main runs the tests of a package, and ends the adapters after them.
func Main(m *testing.M) (status int) {
	status = m.Run()
	for name, p := range adapters.running {
		if err := p.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "%s did not end well: %v\n", name, err)
			status = 1
		}
	}
	for _, w := range adapters.wrote {
		if err := w.Err(); err != nil {
			fmt.Fprintln(os.Stderr, "an adapter:", err)
			status = 1
		}
	}
	if adapters.folder != "" {
		os.RemoveAll(adapters.folder)
	}
	return status
}

// Start returns a host, whose adapter runs until the tests have ended.
func (h Host) Start(t testing.TB) *run.Host {
	t.Helper()
	if h.Folder == "" {
		return &run.Host{Adapter: core.New(script.Transport), Flows: h.Flows}
	}
	p, err := h.adapter()
	if err != nil {
		t.Fatal(err)
	}
	return &run.Host{Adapter: p, Process: p, Wasm: h.plugin(t), WASI: h.WASI, Flows: h.Flows, Library: h.Library}
}

// adapter starts the host's adapter, unless it runs and is well.
func (h Host) adapter() (*protocol.Process, error) {
	adapters.Lock()
	defer adapters.Unlock()
	name := fmt.Sprint(h.Folder, " ", h.Package, h.Command)
	if p := adapters.running[name]; p != nil {
		if !p.Broken() {
			return p, nil
		}
		_ = p.Close() // a test has failed for it
	}
	wrote := &canary.Watch{To: os.Stderr, Secrets: canaries}
	p, err := h.Process(context.Background(), wrote)
	if err != nil {
		return nil, err
	}
	adapters.wrote = append(adapters.wrote, wrote)
	if adapters.running == nil {
		adapters.running = map[string]*protocol.Process{}
	}
	adapters.running[name] = p
	return p, nil
}

// Process starts the adapter once more, for its caller alone.
func (h Host) Process(ctx context.Context, stderr io.Writer) (*protocol.Process, error) {
	command, err := h.command()
	if err != nil {
		return nil, err
	}
	return protocol.Start(ctx, filepath.Join(Root(), h.Folder), h.variables(), stderr, command[0], command[1:]...)
}

// variables are those of an adapter: a library sends no request to loopback through a proxy, such as
// this one, at which nobody listens.
func (h Host) variables() (all []string) {
	if !h.Library || h.Differs(proxied) {
		return nil
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		all = append(all, name+"=http://127.0.0.1:1")
	}
	return append(all, "NO_PROXY=", "no_proxy=")
}

// proxied are the libraries whose runtime sends even loopback's requests through a proxy.
var proxied = map[string]string{"deno": "its fetch", "bun": "its fetch"}

// command returns what starts the adapter, which is built first if it is written in Go.
func (h Host) command() ([]string, error) {
	if h.Package == "" {
		program := h.Command[0]
		if strings.Contains(program, "/") {
			program = filepath.Join(Root(), h.Folder, program)
		}
		return append([]string{program}, h.Command[1:]...), nil
	}
	if adapters.folder == "" {
		folder, err := os.MkdirTemp("", "adapters")
		if err != nil {
			return nil, err
		}
		adapters.folder = folder
	}
	program := filepath.Join(adapters.folder, h.Name)
	build := exec.Command("go", "build", "-o", program, h.Package)
	build.Dir = filepath.Join(Root(), h.Folder)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return append([]string{program}, h.Command...), nil
}

func (h Host) plugin(t testing.TB) string {
	t.Helper()
	if h.Wasm == "" {
		return ""
	}
	file := filepath.Join(Root(), h.Wasm)
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%v: run make build", err)
	}
	return file
}
