package rostering_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

// brief is a time-out that a test waits for.
const brief = 50 * time.Millisecond

func TestContextEndsACall(t *testing.T) {
	for want, limit := range map[error]func(context.Context) (context.Context, context.CancelFunc){
		context.Canceled: context.WithCancel,
		context.DeadlineExceeded: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, brief)
		},
	} {
		s := newService(t)
		client := s.client(t)
		handler, arrived := hold(nil, nothing)
		s.onRequest(handler)
		ctx, cancel := limit(t.Context())
		defer cancel()
		if want == context.Canceled {
			go func() {
				<-arrived
				cancel()
			}()
		}
		_, err := client.ListJobs(ctx)
		if _, ok := errors.AsType[*rostering.Error](err); ok || !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
		s.recover()
		wantJobs(t, client)
		if got := s.tokenRequests.Load(); got != 1 {
			t.Errorf("%d token requests", got)
		}
	}
}

func TestACallerWhoLeavesDoesNotEndTheTokenRequest(t *testing.T) {
	s := newService(t)
	client := s.client(t)
	release := make(chan struct{})
	handler, arrived := hold(release, *s.token.Load())
	s.onToken(handler)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := client.ListJobs(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	close(release)
	wantJobs(t, client)
	s.wantRequests(t, 1, 1)
}

func TestTimeout(t *testing.T) {
	s := newService(t)
	client := s.client(t, rostering.WithTimeout(brief))
	handler, _ := hold(nil, nothing)
	s.onRequest(handler)
	_, err := client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeNetworkError)
	if !e.Retryable || !strings.Contains(e.Message, "timed out after 50ms") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %+v", e)
	}
	s.recover()
	if _, err := client.ListJobs(t.Context(), rostering.Timeout(0)); err != nil {
		t.Errorf("without a time-out: %v", err)
	}
}

func TestContextThatHasEnded(t *testing.T) {
	s := newService(t)
	client := s.client(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.ListJobs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	s.wantRequests(t, 0, 0)
}
