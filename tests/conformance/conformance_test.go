// Package conformance runs every scenario on every host.
package conformance

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

const root = "../.." // of the repository

// hosts are what the scenarios run on. The builds with poison fill the heap with a
// pattern between calls: what outlives its call shows there.
var hosts = []struct {
	name   string
	module string // folder of the Go module that holds the host
	pkg    string
	wasm   string
	wasi   bool
}{
	{name: "core", module: root, pkg: "./plugin/internal/native"},
	{name: "go", module: ".", pkg: "./hosts/go", wasm: "dist/rostering.wasm", wasi: true},
	{name: "go/nowasi", module: ".", pkg: "./hosts/go", wasm: "dist/rostering-nowasi.wasm"},
	{name: "go/poison", module: ".", pkg: "./hosts/go", wasm: "build/rostering-poison.wasm", wasi: true},
	{name: "go/nowasi-poison", module: ".", pkg: "./hosts/go", wasm: "build/rostering-nowasi-poison.wasm"},
}

func TestScenarios(t *testing.T) {
	scenarios, err := scenario.Load(os.DirFS(filepath.Join(root, "tests/scenarios")))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			host := &run.Host{Process: start(t, h.module, h.pkg), WASI: h.wasi}
			if h.wasm != "" {
				host.Wasm = built(t, h.wasm)
			}
			for i := range scenarios {
				s := &scenarios[i]
				t.Run(s.Group+"/"+s.Name, func(t *testing.T) {
					if err := run.Scenario(host, s, nil); err != nil {
						t.Errorf("%v\nrule: %s", err, s.Rule)
					}
				})
			}
		})
	}
}

// start builds a host and starts it; it ends with the test.
func start(t *testing.T, module, pkg string) *protocol.Process {
	t.Helper()
	program := filepath.Join(t.TempDir(), "host")
	build := exec.Command("go", "build", "-o", program, pkg)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p, err := protocol.Start(context.WithoutCancel(t.Context()), program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("the host did not end well: %v", err)
		}
	})
	return p
}

// built gives the absolute path of a build.
func built(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run make build", err)
	}
	return path
}
