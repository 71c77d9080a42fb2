package rostering_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestNewThatFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rostering.New(ctx, rostering.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestEmbeddedPlugin(t *testing.T) {
	built, err := os.ReadFile(sandbox.File("dist/rostering-nowasi.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if embedded, err := os.ReadFile("wasm/rostering-nowasi.wasm"); err != nil || !bytes.Equal(embedded, built) {
		t.Errorf("it differs from the build: run make build: %v", err)
	}
	newClient(t, fullConfig)
	newClient(t, fullConfig, rostering.WithPlugin(built))
}

// empty is an empty WebAssembly module.
const empty = "\x00asm\x01\x00\x00\x00"

func TestContract(t *testing.T) {
	built, err := os.ReadFile("wasm/rostering-nowasi.wasm")
	if err != nil {
		t.Fatal(err)
	}
	// The number of the contract follows this string. The replacement has the same length.
	stamp, another := rostering.Version+`","contract":`, rostering.Version[1:]+`","contract":1`
	if bytes.Count(built, []byte(stamp)) != 1 {
		t.Fatalf("the plugin does not have %s", stamp)
	}
	wasi, err := os.ReadFile(sandbox.File("dist/rostering.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	const file = ": use rostering-nowasi.wasm of this library's release: "
	const advice = ", but this library needs contract 2: use the library from the plugin's release"
	for want, plugin := range map[string][]byte{
		"the plugin has contract 12" + advice:                             bytes.Replace(built, []byte(stamp), []byte(another), 1),
		`the plugin has no export "version", as with contract 1` + advice: []byte(empty),
		"the plugin cannot be loaded" + file + "invalid magic number":     []byte("#!/bin/sh"),
		"the plugin cannot be loaded" + file + "it imports the function clock_time_get of wasi_snapshot_preview1, which this library does not have": wasi,
	} {
		_, err := rostering.New(t.Context(), rostering.Config{}, rostering.WithPlugin(plugin))
		if want := "rostering: " + want; err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
