package rostering_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
)

// stores returns the stores of this package. Each function opens the same store again.
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
			for n := range 20 {
				var added atomic.Int64
				together(8, func() {
					ok, err := open().Add(t.Context(), fmt.Sprint(n), "1", time.Hour)
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
			}
		})
	}
}

// addFails and setFails are stores whose errors contain secrets.
type addFails struct{ rostering.MemoryStore }

func (*addFails) Add(context.Context, string, string, time.Duration) (bool, error) {
	return false, errors.New("refused by 10.0.0.7 with the-client-secret")
}

type setFails struct{ rostering.MemoryStore }

func (*setFails) Set(_ context.Context, _, value string, _ time.Duration) error {
	return errors.New("cannot set " + value)
}

func TestStoreWarning(t *testing.T) {
	for want, store := range map[string]rostering.Store{
		"refused by 10.0.0.7 with [redacted]": new(addFails), "cannot set [redacted]": new(setFails),
	} {
		inBubble(t, func(t *testing.T) {
			var lines bytes.Buffer
			previous := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
			defer slog.SetDefault(previous)
			release := make(chan struct{})
			close(release)
			client := newClient(t, fullConfig, provider(release, http.StatusOK, someToken), rostering.WithStore(store))
			for minutes := range 3 {
				for range 3 {
					if _, err := client.GetToken(t.Context(), rostering.Force()); err != nil {
						t.Fatal(err)
					}
				}
				if got := strings.Count(lines.String(), "level=WARN"); got != minutes+1 {
					t.Errorf("%d warnings in minute %d:\n%s", got, minutes+1, &lines)
				}
				time.Sleep(time.Minute)
			}
			logged := lines.String()
			if !strings.Contains(logged, want) || strings.Contains(logged, "the-client-secret") || strings.Contains(logged, "the-access-token") {
				t.Errorf("the log is %s", logged)
			}
		})
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

func TestStoreThatHangs(t *testing.T) {
	store := &hanging{release: make(chan struct{})}
	defer close(store.release)
	s, client := open(t, rostering.WithStore(store))
	wantJobs(t, client)
	s.WantCounts(t, 1, 1)
}
