package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

func TestBuilds(t *testing.T) {
	version, err := os.ReadFile(filepath.Join(hosts.Root(), "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	for build, clock := range map[string]bool{"rostering.wasm": true, "rostering-nowasi.wasm": false} {
		var out strings.Builder
		if err := inspect(t.Context(), &out, filepath.Join(hosts.Root(), "dist", build)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			build + "\n  version " + strings.TrimSpace(string(version)) + ", contract 2, ", " bytes\n",
			"exports: _initialize, begin, check, clear_token, get_token, list_jobs, resume, send_request, set_token, version\n",
			"imports from extism:host/env: alloc, ",
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s\ndoes not hold %q", out.String(), want)
			}
		}
		if strings.Contains(out.String(), "imports from wasi_snapshot_preview1: clock_time_get") != clock {
			t.Errorf("%s\nhas the wrong imports of WASI", out.String())
		}
	}
}

func TestAnotherFile(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.wasm")
	if err := os.WriteFile(empty, []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := inspect(t.Context(), new(strings.Builder), empty)
	if err == nil || !strings.Contains(err.Error(), "not a build of the plugin") {
		t.Errorf("the error is %v", err)
	}
}
