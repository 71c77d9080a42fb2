package rostering_test

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

// handler is a log handler that calls the client, or panics.
type handler struct {
	slog.Handler
	handle func()
}

func (h handler) Enabled(context.Context, slog.Level) bool  { return true }
func (h handler) Handle(context.Context, slog.Record) error { h.handle(); return nil }
func (h handler) WithAttrs([]slog.Attr) slog.Handler        { return h }

// A handler may close the client, in a call and in a token request.
func TestLogHandlerThatCloses(t *testing.T) {
	for _, status := range []int{http.StatusTeapot, http.StatusOK} {
		var client *rostering.Client
		closed := make(chan error, 9)
		_, client = open(t, responds(status, ""), rostering.WithLogger(slog.New(handler{handle: func() { closed <- client.Close() }})))
		_, _ = client.ListJobs(t.Context())
		if err := <-closed; err != nil {
			t.Error(err)
		}
	}
}

// A panic in the goroutine of a flow, which no caller can recover, ends only that flow; one in the
// store does not even do that, and is logged.
func TestWhatPanics(t *testing.T) {
	logged := make(lines, 99)
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(logged, nil)))
	panics := true
	client := newClient(t, fullConfig, rostering.WithStore((*rostering.MemoryStore)(nil)), faked(func(*http.Request) error {
		if panics {
			panic("no " + fullConfig.ClientSecret.Expose())
		}
		return nil
	}))
	if _, err := client.GetToken(t.Context()); err == nil || strings.Contains(err.Error(), fullConfig.ClientSecret.Expose()) {
		t.Errorf("the call ended with %v", err)
	}
	panics = false
	if _, err := client.GetToken(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case line := <-logged:
		if !strings.Contains(line, "it panicked") {
			t.Errorf("it logged %q", line)
		}
	case <-time.After(10 * time.Second):
		t.Error("it was not logged")
	}
}

// lines are those that are written to it.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestNilOptions(t *testing.T) {
	_, client := open(t, responds(http.StatusOK, "[]"), rostering.WithClock(nil), rostering.WithStore(nil), rostering.WithHTTPClient(nil),
		rostering.WithLogger(nil))
	if _, err := client.ListJobs(t.Context()); err != nil {
		t.Error(err)
	}
	_, err := rostering.New(t.Context(), fullConfig, nil)
	wantError(t, err, rostering.CodeConfigInvalid)
}

// abrupt is a store whose operations end in this way.
type abrupt func() error

func (a abrupt) Get(context.Context, string) (string, bool, error) { return "", false, a() }
func (a abrupt) Add(context.Context, string, string, time.Duration) (bool, error) {
	return false, a()
}
func (a abrupt) Set(context.Context, string, string, time.Duration) error { return a() }

// unprintable is an error that cannot be printed.
type unprintable struct{}

func (unprintable) Error() string { panic("no text") }

// No store fails a call, and neither does a log handler that is everywhere.
func TestStoresThatEndAbruptly(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(handler{handle: func() { panic("no log") }}))
	for name, store := range map[string]abrupt{
		"unprintable": func() error { return unprintable{} },
		"panics":      func() error { panic(unprintable{}) },
		"goexit":      func() error { runtime.Goexit(); return nil },
	} {
		client := newClient(t, fullConfig, rostering.WithStore(store), faked(func(*http.Request) error { return nil }))
		if _, err := client.GetToken(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A clock that panics is no clock.
func TestClockThatPanics(t *testing.T) {
	client := newClient(t, fullConfig, rostering.WithClock(func() time.Time { panic("no time") }))
	_, err := client.GetToken(t.Context())
	wantError(t, err, rostering.CodeClockUnusable)
	if !strings.Contains(err.Error(), "WithClock") {
		t.Error(err)
	}
}
