package rostering_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering/host-example/go/rostering"
)

func TestNewThatFails(t *testing.T) {
	none, file := filepath.Join(t.TempDir(), "none.wasm"), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, options := range map[string][]rostering.Option{
		none:                       {rostering.WithPluginFile(none)},
		"invalid magic number":     {rostering.WithPlugin([]byte("#!/bin/sh"))},
		"not the rostering plugin": {rostering.WithPlugin([]byte("\x00asm\x01\x00\x00\x00"))},
		file:                       {rostering.WithPluginFile(wasm), rostering.WithCacheDir(file)},
		"at least 1, not 0":        {rostering.WithPluginFile(wasm), rostering.WithInstances(0)},
	} {
		if _, err := rostering.New(t.Context(), rostering.Config{}, options...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rostering.New(ctx, rostering.Config{}, rostering.WithPluginFile(wasm)); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestThePluginInside(t *testing.T) {
	built, err := os.ReadFile(wasm)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := os.ReadFile("wasm/rostering-nowasi.wasm")
	if errors.Is(err, fs.ErrNotExist) {
		_, err := rostering.New(t.Context(), rostering.Config{})
		if err == nil || !strings.Contains(err.Error(), "WithPlugin") {
			t.Errorf("without it, the error is %v", err)
		}
		return
	}
	if string(inside) != string(built) {
		t.Error("it differs from the build: run go generate ./...")
	}
	client, err := rostering.New(t.Context(), rostering.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.ListJobs(t.Context())
	wantError(t, err, rostering.CodeConfigMissing)
	if err := client.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCacheDir(t *testing.T) {
	dir := t.TempDir()
	newClient(t, rostering.Config{}, rostering.WithCacheDir(dir))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Errorf("%d files were kept, %v", len(entries), err)
	}
}
