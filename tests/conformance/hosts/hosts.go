// Package hosts knows the hosts that the scenarios run on, and starts them for a
// test.
package hosts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
)

// Host is a host with a build of the plugin.
type Host struct {
	Name string
	// Package is its adapter, if that is written in Go.
	Package string
	// Folder is that of its Go module, or where Command starts the adapter.
	Folder  string
	Command []string
	// Wasm is the build that it loads, if any, and WASI whether that imports WASI.
	Wasm string
	WASI bool
	// Steps and Drives are as in [run.Host].
	Steps, Drives bool
}

// Hosts that tests name.
var (
	Core        = Host{Name: "core", Folder: ".", Package: "./plugin/internal/native"}
	CoreInSteps = inSteps(Core)
	Go          = goSDK("go", "dist/rostering.wasm", true)
)

// Native are the hosts that Go alone can start. The builds with poison fill the heap
// with a pattern between calls: what outlives its call shows there.
var Native = []Host{
	Core,
	CoreInSteps,
	Go,
	library(goSDK("go", "dist/rostering-nowasi.wasm", false)),
	goSDK("go-nowasi", "dist/rostering-nowasi.wasm", false),
	goSDK("go-poison", "build/rostering-poison.wasm", true),
	inSteps(goSDK("go-poison", "build/rostering-poison.wasm", true)),
	goSDK("go-nowasi-poison", "build/rostering-nowasi-poison.wasm", false),
}

func goSDK(name, wasm string, wasi bool) Host {
	return Host{Name: name, Folder: "tests", Package: "./conformance/hosts/go", Wasm: wasm, WASI: wasi}
}

// inSteps is a host whose calls are made by begin and resume.
func inSteps(h Host) Host {
	h.Name += "-driver"
	h.Steps = true
	return h
}

// library is a host whose calls a client of the language's library makes.
func library(h Host) Host {
	h = inSteps(h)
	h.Drives = true
	return h
}

// Root is the folder of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../..")
}

// Start starts a host, which is built first if it is written in Go; it ends with the
// test.
func (h Host) Start(t testing.TB) *run.Host {
	t.Helper()
	if h.Package == "" {
		program := h.Command[0]
		if strings.Contains(program, "/") {
			program = filepath.Join(Root(), h.Folder, program)
		}
		return h.Run(t, program, h.Command[1:]...)
	}
	program, err := h.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h.Run(t, program)
}

// Build builds the adapter into a folder.
func (h Host) Build(folder string) (program string, err error) {
	program = filepath.Join(folder, h.Name)
	build := exec.Command("go", "build", "-o", program, h.Package)
	build.Dir = filepath.Join(Root(), h.Folder)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
}

// Run starts an adapter; it ends with the test.
func (h Host) Run(t testing.TB, program string, args ...string) *run.Host {
	t.Helper()
	// The test's own context ends before its clean-up, which is to end the host well.
	ctx := context.WithoutCancel(t.Context())
	p, err := protocol.Start(ctx, filepath.Join(Root(), h.Folder), program, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("the host did not end well: %v", err)
		}
	})
	return &run.Host{Process: p, Wasm: h.plugin(t), WASI: h.WASI, Steps: h.Steps, Drives: h.Drives}
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
