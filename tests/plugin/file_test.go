// Package plugin tests the built files, as a host loads them.
package plugin

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

var root = hosts.Root()

// builds are those for Extism, and coreBuild is that for hosts without it.
var builds = []string{"plugin/rostering.wasm", "plugin/rostering-nowasi.wasm"}

const coreBuild = "plugin/rostering-core.wasm"

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var exports = []string{"get_token", "list_jobs", "send_request", "begin", "resume", "set_token", "clear_token", "check", "version", "request", "explain", "status"}

// The host has nothing else that a build could import.
func TestImportsAndExports(t *testing.T) {
	want := slices.Sorted(slices.Values(append(exports, "_initialize")))
	for _, file := range builds {
		h := newHost(t, file)
		if got := slices.Sorted(maps.Keys(h.instance.ExportedFunctionDefinitions())); !slices.Equal(got, want) {
			t.Errorf("%s exports %q, not %q", file, got, want)
		}
	}
}

// The build for hosts without Extism imports nothing.
func TestCoreImportsNothing(t *testing.T) {
	ctx := t.Context()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	module, err := runtime.CompileModule(ctx, read(t, coreBuild))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(module.ImportedFunctions()) + len(module.ImportedMemories()); n > 0 {
		t.Errorf("it has %d imports", n)
	}
	want := slices.Concat(exports, []string{"room", "configure"})
	want = slices.DeleteFunc(want, isDirect)
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(module.ExportedFunctions())); !slices.Equal(got, want) {
		t.Errorf("it exports %q, not %q", got, want)
	}
}

func isDirect(export string) bool { return slices.Contains(rule.Direct, export) }

// A call that ends in a trap, as one without a response does on most hosts, leaves nothing on the stack or in the memory.
func TestTrapsLeaveNoTrace(t *testing.T) {
	for _, file := range builds {
		h, lost := newHost(t, file), map[string]any{"failed": "no response"}
		h.open(config)
		h.exchange = func(r *world.HTTP) map[string]any {
			if r.Method == "POST" {
				return response(200, []byte(grant))
			}
			return lost
		}
		for n := range 500 {
			if r := h.call("list_jobs", []byte(nowInput)); !strings.Contains(r.Text, "no response") {
				t.Fatalf("%s: call %d ended with %+v", file, n, r)
			}
		}
		lost = response(200, []byte(jobs))
		if r := h.call("list_jobs", []byte(nowInput)); string(r.Output) != jobs || h.instance.Memory().Size() > mostMemory {
			t.Errorf("%s: then a call gets %+v, with %d bytes of memory", file, r, h.instance.Memory().Size())
		}
	}
}

func TestNoPathOfTheMachine(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(regexp.QuoteMeta(home) + "/|" + regexp.QuoteMeta(root) + `|/usr/|/tmp/|/build/|[a-z]\.go\b`)
	for _, file := range append(builds, coreBuild) {
		if found := path.Find(read(t, file)); found != nil {
			t.Errorf("%s holds %q", file, found)
		}
	}
}
