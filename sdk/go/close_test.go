package rostering_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"automatic-rostering.example/rostering"
)

// service is an HTTP client whose requests to the service wait until they are released.
func service(release <-chan struct{}) rostering.Option {
	return rostering.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "rostering.example.com" {
			select {
			case <-release:
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(someToken))}, nil
	})})
}

func wantClosed(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, rostering.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}

func TestCloseWaits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		release, shut := make(chan struct{}), make(chan error, 1)
		client := newClient(t, fullConfig, service(release))
		calls := begin(t.Context(), client, 2)
		go func() { shut <- client.Shutdown(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-shut:
			t.Errorf("it is closed, with %v, while calls are in progress", err)
		default:
		}
		_, err := client.ListJobs(t.Context())
		wantClosed(t, err)
		wantClosed(t, client.ClearToken(t.Context()))
		close(release)
		for range cap(calls) {
			if e := <-calls; e.error != nil {
				t.Error(e)
			}
		}
		if err := errors.Join(<-shut, client.Shutdown(t.Context()), client.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseCancels(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		client := newClient(t, fullConfig, service(nil))
		calls := begin(t.Context(), client, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := client.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		e := <-calls
		wantClosed(t, e.error)
		if e.after != time.Second {
			t.Errorf("the call was canceled after %s", e.after)
		}
	})
	inBubble(t, func(t *testing.T) {
		client := newClient(t, fullConfig, service(nil))
		calls := begin(t.Context(), client, 1)
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		e := <-calls
		wantClosed(t, e.error)
		if e.after != 0 {
			t.Errorf("the call was canceled after %s", e.after)
		}
	})
}

// No call waits for the token request whose caller has left. It is canceled, and does not count
// as a failure of the token endpoint.
func TestCloseWithoutCalls(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := new(rostering.MemoryStore)
		client := newClient(t, fullConfig, provider(nil, 0, ""), rostering.WithStore(store))
		ctx, cancel := context.WithCancel(t.Context())
		calls := begin(ctx, client, 1)
		cancel()
		if e := <-calls; !errors.Is(e.error, context.Canceled) {
			t.Errorf("the error is %v", e)
		}
		started := time.Now()
		if err := client.Shutdown(t.Context()); err != nil || time.Since(started) != 0 {
			t.Errorf("closed after %s: %v", time.Since(started), err)
		}
		time.Sleep(10 * time.Second) // the life of the lock
		released := make(chan struct{})
		close(released)
		other := newClient(t, fullConfig, provider(released, http.StatusOK, someToken), rostering.WithStore(store))
		if _, err := other.ListJobs(t.Context()); err != nil {
			t.Errorf("another client with the same store: %v", err)
		}
	})
}
