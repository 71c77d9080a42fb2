// Package plugin tests the built files, as a host loads them.
package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"automatic-rostering/tests/conformance/hosts"
)

var root = hosts.Root()

var builds = []struct {
	file    string
	imports []string // of WASI
}{
	{"dist/rostering.wasm", []string{"wasi_snapshot_preview1 clock_time_get"}},
	{"dist/rostering-nowasi.wasm", nil},
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := readFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readFile(file string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, fmt.Errorf("%w: run make build", err)
	}
	return b, nil
}

// Functions of the host that npm's @extism/extism 1.0.3 lacks: the plugin would not
// load there.
var forbidden = []string{"http_headers", "get_log_level"}

func TestImportsAndExports(t *testing.T) {
	for _, b := range builds {
		t.Run(b.file, func(t *testing.T) {
			runtime := wazero.NewRuntime(t.Context())
			defer runtime.Close(t.Context())
			module, err := runtime.CompileModule(t.Context(), read(t, b.file))
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
			if !slices.Equal(wasi, b.imports) {
				t.Errorf("in addition to extism:host/env it imports %q, not %q", wasi, b.imports)
			}
			for _, name := range forbidden {
				if slices.Contains(env, name) {
					t.Errorf("it imports %s", name)
				}
			}
			request, status := slices.Index(env, "http_request"), slices.Index(env, "http_status_code")
			if request < 0 || status < request {
				t.Errorf("http_request must stand before http_status_code: %q", env)
			}
			var exports []string
			for name := range module.ExportedFunctions() {
				exports = append(exports, name)
			}
			slices.Sort(exports)
			if want := []string{"_initialize", "begin", "check", "clear_token", "explain", "get_token", "list_jobs", "request", "resume", "send_request", "set_token", "version"}; !slices.Equal(exports, want) {
				t.Errorf("it exports %q, not %q", exports, want)
			}
		})
	}
}

func TestNoPathOfTheMachine(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(regexp.QuoteMeta(home) + "/|" + regexp.QuoteMeta(root) + `|/usr/|/tmp/|/build/|[a-z]\.go\b`)
	for _, b := range builds {
		if found := path.Find(read(t, b.file)); found != nil {
			t.Errorf("%s holds %q", b.file, found)
		}
	}
}
