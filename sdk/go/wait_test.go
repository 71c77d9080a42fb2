package rostering_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"automatic-rostering.example/rostering"
)

// provider is an HTTP client whose token requests wait until they are released, and then
// get a response.
func provider(release <-chan struct{}, status int, body string) rostering.Option {
	return rostering.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		response := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("[]"))}
		if r.URL.Host == "login.example.com" {
			select {
			case <-release:
			case <-r.Context().Done():
				return nil, context.Cause(r.Context())
			}
			response.StatusCode, response.Body = status, io.NopCloser(strings.NewReader(body))
		}
		return response, nil
	})})
}

const someToken = `{"access_token":"the-access-token","expires_in":3600,"token_type":"Bearer"}`

// inBubble runs a test on a fake clock, which advances only when all goroutines wait. It
// begins at a time that the plugin accepts.
func inBubble(t *testing.T, test func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)))
		test(t)
	})
}

type ended struct {
	error
	after time.Duration
}

// begin begins calls, and returns when all of them wait.
func begin(ctx context.Context, client *rostering.Client, calls int) <-chan ended {
	all, started := make(chan ended, calls), time.Now()
	for range calls {
		go func() {
			_, err := client.ListJobs(ctx)
			all <- ended{err, time.Since(started)}
		}()
	}
	synctest.Wait()
	return all
}

func TestWaitEndsWithTheCall(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		code   rostering.Code
	}{
		{http.StatusOK, someToken, ""},
		{http.StatusServiceUnavailable, "", rostering.CodeTokenEndpointUnavailable},
	} {
		inBubble(t, func(t *testing.T) {
			release := make(chan struct{})
			client := newClient(t, fullConfig, provider(release, tt.status, tt.body))
			all := begin(t.Context(), client, 100)
			close(release)
			for range cap(all) {
				e := <-all
				if tt.code != "" {
					wantError(t, e.error, tt.code)
				} else if e.error != nil {
					t.Error(e.error)
				}
				if e.after != 0 {
					t.Fatalf("a call ended after %s", e.after)
				}
			}
		})
	}
}

// The caller that requests the token leaves, too.
func TestWaitEndsWithItsCaller(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		client := newClient(t, fullConfig, provider(release, http.StatusOK, someToken))
		ctx, cancel := context.WithCancel(t.Context())
		all := begin(ctx, client, 2)
		cancel()
		for range cap(all) {
			if e := <-all; !errors.Is(e.error, context.Canceled) || e.after != 0 {
				t.Errorf("a call ended with %v after %s", e.error, e.after)
			}
		}
		close(release)
	})
}

// The plugin sets this timeout.
func TestTokenRequestTimesOut(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		client := newClient(t, fullConfig, provider(nil, 0, ""))
		all := begin(t.Context(), client, 2)
		for range cap(all) {
			e := <-all
			if message := wantError(t, e.error, rostering.CodeNetworkError).Message; !strings.Contains(message, "timed out after 20s") {
				t.Errorf("the message is %q", message)
			}
			if e.after != 20*time.Second {
				t.Errorf("a call ended after %s", e.after)
			}
		}
	})
}

// locked is a store whose lock another client holds.
type locked struct{ rostering.MemoryStore }

func (l *locked) Get(_ context.Context, key string) (string, bool, error) {
	if strings.HasSuffix(key, ":asking") {
		return `{"state":"asking"}`, true, nil
	}
	return "", false, nil
}

func (l *locked) Add(context.Context, string, string, time.Duration) (bool, error) { return false, nil }

// Of two calls, one waits for the store, and the other for the first.
func TestWaitForTheStoreDoesNotEndWithACall(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		close(release)
		client := newClient(t, fullConfig, provider(release, http.StatusOK, someToken), rostering.WithStore(new(locked)))
		all := begin(t.Context(), client, 2)
		if _, err := client.GetToken(t.Context(), rostering.Force()); err != nil {
			t.Error(err)
		}
		if e := <-all; e.error != nil || e.after != 0 {
			t.Errorf("the wait for the call ended with %v after %s", e.error, e.after)
		}
		if e := <-all; e.error != nil || e.after < 50*time.Millisecond || e.after > 75*time.Millisecond {
			t.Errorf("the wait for the store ended with %v after %s", e.error, e.after)
		}
	})
}

func TestResponseCountsThoughItsCallerHasLeft(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		leave := make(chan context.CancelFunc, 1)
		client := newClient(t, fullConfig, rostering.WithHTTPClient(&http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				status := http.StatusOK
				if r.URL.Host == "rostering.example.com" {
					status = http.StatusNotFound
					(<-leave)()
				}
				return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(someToken))}, nil
			}),
		}))
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			leave <- cancel
			_, err := client.ListJobs(ctx)
			wantError(t, err, rostering.CodeServiceError)
		}
	})
}

// blocked is a log handler that keeps the plugin busy with writing a line.
type blocked struct {
	slog.Handler
	release <-chan struct{}
}

func (b blocked) Handle(context.Context, slog.Record) error {
	<-b.release
	return nil
}

func TestCallerLeavesWhileThePluginIsBusy(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		responded, release := make(chan struct{}), make(chan struct{})
		close(responded)
		logger := slog.New(blocked{slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}), release})
		client := newClient(t, fullConfig, provider(responded, http.StatusOK, someToken), rostering.WithLogger(logger))
		busy := begin(t.Context(), client, 1)
		ctx, cancel := context.WithCancel(t.Context())
		waiting := begin(ctx, client, 2)
		cancel()
		for range cap(waiting) {
			if e := <-waiting; !errors.Is(e.error, context.Canceled) {
				t.Errorf("a call ended with %v", e.error)
			}
		}
		_, err := client.ListJobs(t.Context(), rostering.WithCallTimeout(brief))
		wantError(t, err, rostering.CodeNetworkError)
		if err := client.ClearToken(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("ClearToken ended with %v", err)
		}
		close(release)
		if e := <-busy; e.error != nil {
			t.Error(e.error)
		}
	})
}
