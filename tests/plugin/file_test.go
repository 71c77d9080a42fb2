// Package plugin tests the built files, as a host loads them.
package plugin

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

var root = hosts.Root()

var builds = []string{"plugin/rostering.wasm", "plugin/rostering-nowasi.wasm"}

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

func TestNoPathOfTheMachine(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(regexp.QuoteMeta(home) + "/|" + regexp.QuoteMeta(root) + `|/usr/|/tmp/|/build/|[a-z]\.go\b`)
	for _, file := range builds {
		if found := path.Find(read(t, file)); found != nil {
			t.Errorf("%s holds %q", file, found)
		}
	}
}
