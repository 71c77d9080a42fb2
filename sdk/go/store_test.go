package rostering_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
)

// stores are the stores of this package. Each call opens the same one again.
func stores(t *testing.T) map[string]func() rostering.Store {
	memory, dir := new(rostering.MemoryStore), filepath.Join(t.TempDir(), "new", "store")
	return map[string]func() rostering.Store{
		"memory": func() rostering.Store { return memory },
		"file": func() rostering.Store {
			s, err := rostering.NewFileStore(dir)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
}

func TestStores(t *testing.T) {
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			get := func(key, want string) {
				t.Helper()
				if got, found, err := open().Get(t.Context(), key); err != nil || got != want && found || found != (want != "") {
					t.Errorf("%s is %q, %v, %v; want %q", key, got, found, err, want)
				}
			}
			set := func(key, value string, ttl time.Duration) {
				t.Helper()
				if err := open().Set(t.Context(), key, value, ttl); err != nil {
					t.Error(err)
				}
			}
			add := func(key, value string, want bool) {
				t.Helper()
				if added, err := open().Add(t.Context(), key, value, time.Hour); err != nil || added != want {
					t.Errorf("%s was added: %v, %v; want %v", key, added, err, want)
				}
			}
			long := strings.Repeat("/:%", 166) // longer than the name of a file
			get("a", "")
			add("a", "1", true)
			add("a", "2", false)
			get("a", "1")
			set("a", "3", time.Hour)
			get("a", "3")
			set("a", "4", 0)
			get("a", "")
			add("a", "5", true)
			get("a", "5")
			get(long, "")
			set(long, "6", time.Hour)
			get(long, "6")
			get("a", "5")
		})
	}
}

func TestOneOfManyAdds(t *testing.T) {
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				var added atomic.Int64
				together(8, func() {
					ok, err := open().Add(t.Context(), "a", "1", time.Hour)
					if err != nil {
						t.Error(err)
					}
					if ok {
						added.Add(1)
					}
				})
				if added.Load() != 1 {
					t.Fatalf("%d were added", added.Load())
				}
				if err := open().Set(t.Context(), "a", "1", 0); err != nil { // it expires at once
					t.Fatal(err)
				}
			}
		})
	}
}

func TestFileStore(t *testing.T) {
	dir := t.TempDir()
	s, err := rostering.NewFileStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Set(t.Context(), "a", "secret", time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("it left %v, %v", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, entries[0].Name()), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if added, err := s.Add(t.Context(), "a", "1", time.Hour); err != nil || !added {
		t.Errorf("a broken file is a value: %v, %v", added, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "a", "1", time.Hour); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

// hanging is a store that ignores its context.
type hanging struct {
	rostering.MemoryStore
	release chan struct{}
}

func (h *hanging) Get(context.Context, string) (string, bool, error) {
	<-h.release
	return "", false, nil
}

func TestAStoreThatHangs(t *testing.T) {
	store := &hanging{release: make(chan struct{})}
	defer close(store.release)
	s, client := open(t, rostering.WithStore(store))
	wantJobs(t, client)
	s.WantCounts(t, 1, 1)
}
