package rostering_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering/host-example/go/rostering"
)

func TestWrongPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.wasm")
	_, err := rostering.OpenFile(t.Context(), path, rostering.Config{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
}

func TestNotThePlugin(t *testing.T) {
	for name, wasm := range map[string][]byte{
		"nothing":         nil,
		"not Wasm":        []byte("#!/bin/sh"),
		"an empty module": []byte("\x00asm\x01\x00\x00\x00"),
	} {
		if _, err := rostering.Open(t.Context(), wasm, rostering.Config{}, rostering.WithCacheDir("")); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

func TestOpenWithAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rostering.OpenFile(ctx, wasmPath, rostering.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// homeless sets where [os.UserCacheDir] is on every system.
func homeless(t *testing.T, dir string) {
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
}

func TestUserCache(t *testing.T) {
	home := t.TempDir()
	homeless(t, home)
	s := newService(t)
	client, err := rostering.OpenFile(t.Context(), wasmPath, s.config())
	if err != nil {
		t.Fatal(err)
	}
	wantJobs(t, client)
	if err := client.Close(t.Context()); err != nil {
		t.Error(err)
	}
	files := 0
	_ = filepath.WalkDir(home, func(_ string, entry fs.DirEntry, _ error) error {
		if entry.Type().IsRegular() {
			files++
		}
		return nil
	})
	if files == 0 {
		t.Error("nothing was kept")
	}
}

func TestUserCacheThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"there is none": "", "it is a file": file} {
		t.Run(name, func(t *testing.T) {
			homeless(t, dir)
			s := newService(t)
			var warnings []string
			client, err := rostering.OpenFile(t.Context(), wasmPath, s.config(),
				rostering.WithLog(func(_ slog.Level, line string) { warnings = append(warnings, line) }))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close(t.Context()) }()
			wantJobs(t, client)
			if len(warnings) != 1 || !strings.Contains(warnings[0], "in memory alone") {
				t.Errorf("the log is %q", warnings)
			}
		})
	}
}

func TestCacheDirThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rostering.OpenFile(t.Context(), wasmPath, rostering.Config{}, rostering.WithCacheDir(file)); err == nil {
		t.Error("opened")
	}
}
