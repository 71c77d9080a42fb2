// Package plugin tests the built files, as a host loads them.
package plugin

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/runner/hosts"
)

var root = hosts.Root()

// builds are the files, with what they import of WASI.
var builds = map[string][]string{
	"plugin/rostering.wasm":        {"wasi_snapshot_preview1 clock_time_get"},
	"plugin/rostering-nowasi.wasm": nil,
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var exports = []string{"get_token", "list_jobs", "send_request", "begin", "resume", "set_token", "clear_token", "check", "version", "request", "explain", "status"}

func TestImportsAndExports(t *testing.T) {
	for file, imports := range builds {
		runtime := wazero.NewRuntime(t.Context())
		defer runtime.Close(t.Context())
		module, err := runtime.CompileModule(t.Context(), read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		var wasi, env []string
		for _, f := range module.ImportedFunctions() {
			from, name, _ := f.Import()
			if from == "extism:host/env" {
				env = append(env, name)
			} else {
				wasi = append(wasi, from+" "+name)
			}
		}
		if !slices.Equal(wasi, imports) {
			t.Errorf("in addition to extism:host/env %s imports %q, not %q", file, wasi, imports)
		}
		if request, status := slices.Index(env, "http_request"), slices.Index(env, "http_status_code"); request < 0 || status < request {
			t.Errorf("%s: http_request must stand before http_status_code: %q", file, env)
		}
		got, want := slices.Sorted(maps.Keys(module.ExportedFunctions())), slices.Sorted(slices.Values(append(exports, "_initialize")))
		if !slices.Equal(got, want) {
			t.Errorf("%s exports %q, not %q", file, got, want)
		}
	}
}

func TestNoPathOfTheMachine(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(regexp.QuoteMeta(home) + "/|" + regexp.QuoteMeta(root) + `|/usr/|/tmp/|/build/|[a-z]\.go\b`)
	for file := range builds {
		if found := path.Find(read(t, file)); found != nil {
			t.Errorf("%s holds %q", file, found)
		}
	}
}
