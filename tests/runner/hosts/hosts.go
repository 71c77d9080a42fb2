// Package hosts knows the players of the rules: raw hosts and client libraries, and starts their adapters.
package hosts

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/canary"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
)

// Host is the core, a raw host with a build of the plugin, or the adapter of a library.
type Host struct {
	// Folder is that of its language in sdk, or of its runtime of JavaScript, whose tasks.sh installs what it needs.
	Folder, Name string
	// Command starts its adapter in that folder. The core and its build have none, as they run in this process.
	Command string
	// Build is the file for a raw host; that with poison fills the heap with a pattern between calls, so that what outlives its
	// call shows. All says that the host plays all cases of the plugin, and not only those for every host.
	Build string
	All   bool
	// Flows and Library are as in [play.Player].
	Flows, Library bool
}

func (h Host) folder() string { return filepath.Join(Root(), "sdk", h.Folder) }

// Differs reports whether a host is one of the differences, which are by language or by name.
func (h Host) Differs(differences map[string]string) bool {
	language, _, _ := strings.Cut(h.Folder, "/")
	return differences[language] != "" || differences[h.Name] != ""
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
	switch {
	case h.Command == "" && h.Build == "":
		return &play.Player{Adapter: &play.Core{}, Flows: h.Flows}
	case h.Command == "":
		built, err := play.NewBuilt(t.Context(), Plugin(t, h.Build))
		if err != nil {
			t.Fatal(err)
		}
		return &play.Player{Adapter: built, Flows: h.Flows}
	}
	p, err := h.adapter()
	if err != nil {
		t.Fatal(err)
	}
	build := Plugin(t, h.Build)
	return &play.Player{
		Adapter: p, Process: p, Wasm: build, WASI: !strings.Contains(build, "nowasi"), Library: h.Library, Redis: Redis,
	}
}

// adapter starts the host's adapter, unless it runs and is well.
func (h Host) adapter() (*protocol.Process, error) {
	adapters.Lock()
	defer adapters.Unlock()
	name := h.Folder + " " + h.Command
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
	command := strings.Fields(h.Command)
	return protocol.Start(ctx, h.folder(), append(h.variables(), variables...), stderr, command[0], command[1:]...)
}

// variables are those of an adapter: a library sends no request to loopback through a proxy, such as
// this one, at which nobody listens.
func (h Host) variables() (all []string) {
	if !h.Library || h.Name == "deno" || h.Name == "bun" { // whose fetch sends even those
		return nil
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		all = append(all, name+"=http://127.0.0.1:1")
	}
	return append(all, "NO_PROXY=", "no_proxy=")
}
