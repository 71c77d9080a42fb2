package rostering_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestNewThatFails(t *testing.T) {
	none, file := filepath.Join(t.TempDir(), "none.wasm"), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, options := range map[string][]rostering.Option{
		none:                {rostering.WithPluginFile(none)},
		file:                {rostering.WithCacheDir(file)},
		"at least 1, not 0": {rostering.WithInstances(0)},
	} {
		if _, err := rostering.New(t.Context(), rostering.Config{}, options...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rostering.New(ctx, rostering.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestThePluginInside(t *testing.T) {
	path := sandbox.File("dist/rostering-nowasi.wasm")
	built, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if inside, err := os.ReadFile("wasm/rostering-nowasi.wasm"); err != nil || !bytes.Equal(inside, built) {
		t.Errorf("it differs from the build: run make build: %v", err)
	}
	for _, options := range [][]rostering.Option{nil, {rostering.WithPluginFile(path)}, {rostering.WithPlugin(built)}} {
		newClient(t, sandbox.New(t).Config(), options...)
	}
}

// empty is a module of WebAssembly that has nothing.
const empty = "\x00asm\x01\x00\x00\x00"

func TestContract(t *testing.T) {
	built, err := os.ReadFile("wasm/rostering-nowasi.wasm")
	if err != nil {
		t.Fatal(err)
	}
	// The plugin adds its contract to this text, which keeps its length.
	stamp, another := rostering.Version+`","contract":`, rostering.Version[1:]+`","contract":1`
	if bytes.Count(built, []byte(stamp)) != 1 {
		t.Fatalf("the plugin does not have %s", stamp)
	}
	const advice = ", but this library needs contract 2: use the library from the plugin's release"
	for want, file := range map[string][]byte{
		"the plugin has contract 12" + advice:                                                                    bytes.Replace(built, []byte(stamp), []byte(another), 1),
		`the plugin has no export "version", as with contract 1` + advice:                                        []byte(empty),
		"the plugin cannot be loaded: use rostering-nowasi.wasm of this library's release: invalid magic number": []byte("#!/bin/sh"),
	} {
		_, err := rostering.New(t.Context(), rostering.Config{}, rostering.WithPlugin(file))
		if want := "rostering: " + want; err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestCacheDir(t *testing.T) {
	dir := t.TempDir()
	newClient(t, sandbox.New(t).Config(), rostering.WithCacheDir(dir))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Errorf("%d files were kept, %v", len(entries), err)
	}
}
