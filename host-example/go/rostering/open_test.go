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
		_, err := newClient(t, rostering.Config{}, options...).ListJobs(t.Context())
		wantError(t, err, rostering.CodeConfigMissing)
	}
}

// stamped is a file with a custom section.
func stamped(name, content string) []byte {
	section := string(rune(len(name))) + name + content
	return []byte(module + "\x00" + string(rune(len(section))) + section)
}

const module = "\x00asm\x01\x00\x00\x00"

func TestContract(t *testing.T) {
	const missing = `rostering: the file is not a build of the plugin: it has no section "rostering"`
	long := stamped("rostering", `{"contract":1}`)
	for file, want := range map[string]string{
		"":                                       missing,
		"#!/bin/sh":                              missing,
		module:                                   missing,
		module + "\x00":                          missing,
		module + "\x00\xff\xff\xff\xff\x0f\x01":  missing, // 4 GiB of them
		module + strings.Repeat("\x00\x00", 1e5): missing,
		module + "\x00" + strings.Repeat("\x80", 1e5): missing, // a length without an end
		string(long[:len(long)-1]):                    missing,
		string(stamped("rosterin", `{"contract":1}`)): missing,
		string(stamped("rostering", "1")):             missing,
		string(stamped("rostering", `{"version":"2.0.0","contract":2}`)): "rostering: the plugin has contract 2, " +
			"and this library needs 1: take the library of the plugin's release",
	} {
		if _, err := rostering.New(t.Context(), rostering.Config{}, rostering.WithPlugin([]byte(file))); err == nil || err.Error() != want {
			t.Errorf("%.40q: the error is %v, want %s", file, err, want)
		}
	}
	newClient(t, rostering.Config{}, rostering.WithPlugin(long))
	newClient(t, rostering.Config{}, rostering.WithPlugin(append(stamped("name", ""), long[len(module):]...)))
}

func TestCacheDir(t *testing.T) {
	dir := t.TempDir()
	newClient(t, rostering.Config{}, rostering.WithCacheDir(dir))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Errorf("%d files were kept, %v", len(entries), err)
	}
}
