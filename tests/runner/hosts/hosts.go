// Package hosts knows the players of the rules: raw hosts and client libraries, and starts their adapters.
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

	"automatic-rostering/tests/runner/canary"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
)

// Host is a raw host with a build of the plugin, or the adapter of a library.
type Host struct {
	Name string `json:"name"`
	// Command starts its adapter, in the folder of its language. The core has none, as it runs in this process.
	Command []string `json:"command"`
	// Build is the file in the folder plugin for a raw host; that with poison fills the heap with a pattern between calls, so that
	// what outlives its call shows. All says that the host plays all cases of the plugin, and not only those for every host.
	Build string `json:"build"`
	All   bool   `json:"all"`

	// Language is its folder of sdk, without the runtime.
	Language string `json:"-"`
	folder   string
	// Flows and Library are as in [play.Player].
	Flows   bool `json:"-"`
	Library bool `json:"-"`
}

// The hosts of the core alone.
var (
	Core        = Host{Name: "core", All: true}
	CoreInFlows = Host{Name: "core-in-flows", All: true, Flows: true}
)

// Differs reports whether a host is one of the differences, which are by language or by name.
func (h Host) Differs(differences map[string]string) bool {
	return differences[h.Language] != "" || differences[h.Name] != ""
}

// Variant reports whether the host runs another build than the host of its name alone.
func (h Host) Variant() bool {
	return strings.HasSuffix(h.Name, "-nowasi") || strings.HasSuffix(h.Name, "-poison")
}

// Versions names what runs, each with its version: "Python 3.11.7, extism 1.1.1".
func (h Host) Versions() (string, error) {
	kind := "host"
	if h.Library {
		kind = "library"
	}
	command := exec.Command(filepath.Join(Root(), "tests/runner/hosts/versions.sh"), kind, h.Name)
	command.Dir = h.folder
	out, err := command.Output()
	return strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", ", "), err
}

// Root is the folder of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../..")
}

// adapters are those that run: one serves all hosts that have it, in all tests.
var adapters = struct {
	sync.Mutex
	running map[string]*protocol.Process
	wrote   []*canary.Watch // to standard error
	secrets []string        // what none may write
}{running: map[string]*protocol.Process{}}

// Main runs the tests of a package, and ends the adapters after them. None may have written a token, the client secret or one of these secrets.
func Main(m *testing.M, secrets ...string) (status int) {
	adapters.secrets = append(secrets, rule.Secret, rule.TokenPrefix+"00")
	play.Root = Root()
	status = m.Run()
	if redis != nil {
		redis.End()
	}
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
	return status
}

// Start returns the player, whose adapter runs until the tests have ended.
func (h Host) Start(t testing.TB) *play.Player {
	t.Helper()
	if h.Command == nil {
		return &play.Player{Adapter: &play.Core{}, Flows: h.Flows}
	}
	p, err := h.adapter()
	if err != nil {
		t.Fatal(err)
	}
	build := Plugin(t, filepath.Join("plugin", h.Build))
	return &play.Player{
		Adapter: p, Process: p, Wasm: build, WASI: !strings.Contains(build, "nowasi"), Library: h.Library, Redis: Redis,
	}
}

// adapter starts the host's adapter, unless it runs and is well.
func (h Host) adapter() (*protocol.Process, error) {
	adapters.Lock()
	defer adapters.Unlock()
	name := fmt.Sprint(h.folder, " ", h.Command)
	if p := adapters.running[name]; p != nil {
		if !p.Broken() {
			return p, nil
		}
		_ = p.Close() // a test has failed for it
	}
	wrote := &canary.Watch{To: os.Stderr, Secrets: adapters.secrets}
	p, err := h.Process(context.Background(), wrote)
	if err == nil {
		adapters.wrote = append(adapters.wrote, wrote)
		adapters.running[name] = p
	}
	return p, err
}

// Process starts the adapter once more, for its caller alone, with more environment variables.
func (h Host) Process(ctx context.Context, stderr io.Writer, variables ...string) (*protocol.Process, error) {
	return protocol.Start(ctx, h.folder, append(h.variables(), variables...), stderr, h.Command[0], h.Command[1:]...)
}

// variables are those of an adapter: a library sends no request to loopback through a proxy, such as
// this one, at which nobody listens.
func (h Host) variables() (all []string) {
	proxied := map[string]string{"deno": "its fetch sends even those", "bun": "its fetch sends even those"}
	if !h.Library || h.Differs(proxied) {
		return nil
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		all = append(all, name+"=http://127.0.0.1:1")
	}
	return append(all, "NO_PROXY=", "no_proxy=")
}
