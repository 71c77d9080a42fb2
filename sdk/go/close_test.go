package rostering_test

import (
	"context"
	"errors"
	"testing"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

// held has a call in progress whose request the service holds.
func held(t *testing.T) (*sandbox.Sandbox, *rostering.Client, <-chan error) {
	t.Helper()
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "jobs", Hold: true})
	result := make(chan error, 1)
	go func() {
		_, err := client.ListJobs(t.Context())
		result <- err
	}()
	s.Wait(1, 1)
	return s, client, result
}

func wantClosed(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, rostering.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}

func TestCloseWaits(t *testing.T) {
	s, client, result := held(t)
	closed := make(chan error, 1)
	go func() { closed <- client.Shutdown(t.Context()) }()
	for err := error(nil); !errors.Is(err, rostering.ErrClosed); { // until it has begun
		err = client.SetToken(t.Context(), rostering.Token{})
	}
	select {
	case err := <-closed:
		t.Errorf("it is closed, with %v, while a call is in progress", err)
	default:
	}
	s.ClearFaults()
	if err := errors.Join(<-result, <-closed, client.Shutdown(t.Context()), client.Close()); err != nil {
		t.Error(err)
	}
	_, err := client.ListJobs(t.Context())
	wantClosed(t, err)
	wantClosed(t, client.ClearToken(t.Context()))
}

func TestCloseCancelsWhenTheLimitPasses(t *testing.T) {
	_, client, result := held(t)
	ctx, cancel := context.WithTimeout(t.Context(), brief)
	defer cancel()
	if err := client.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	wantClosed(t, <-result)

	_, client, result = held(t)
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	wantClosed(t, <-result)
}

// Nobody waits for the token request that is left behind.
func TestCloseWithoutCalls(t *testing.T) {
	s, client := open(t, rostering.WithStore(new(rostering.MemoryStore)))
	s.Fault(sandbox.Fault{Server: "auth", Hold: true})
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := client.ListJobs(ctx)
		result <- err
	}()
	s.Wait(1, 0)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if err := client.Shutdown(t.Context()); err != nil { // while the sandbox holds the request
		t.Error(err)
	}
	s.WantCounts(t, 1, 0)
}
