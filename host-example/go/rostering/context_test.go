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

func TestContextEndsTheRequestForJobs(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		wantJobs(t, client)
		handler, arrived := block()
		s.answerJobs(handler)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		if _, err := client.Jobs(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
		s.mend()
		wantJobs(t, client)
		s.wantRequests(t, 1, 3) // the token was kept
	})
}

func TestContextEndsTheTokenRequest(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		handler, arrived := block()
		s.answerToken(handler)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		if _, err := client.Jobs(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
		s.mend()
		afterBackOff(t, client)
		s.wantRequests(t, 2, 1)
	})
}

func TestTimeout(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		wantJobs(t, client)
		handler, _ := block()
		s.answerJobs(handler)
		rostering.SetTimeout(client, brief)
		_, err := client.Jobs(t.Context())
		e := wantError(t, err, rostering.CodeNetworkError)
		if !e.Retryable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("retryable %v, cause %v", e.Retryable, errors.Unwrap(e))
		}
		if !strings.Contains(e.Message, "no answer within "+brief.String()) {
			t.Errorf("the message is %q", e.Message)
		}
		s.mend()
		rostering.SetTimeout(client, patience)
		wantJobs(t, client)
		s.wantRequests(t, 1, 3) // the token was kept
	})
}

func TestNoTimeout(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		config := s.config()
		config.Timeout = -1
		wantJobs(t, open(t, config))
	})
}

func TestDeadlineOfTheCaller(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		wantJobs(t, client)
		handler, _ := block()
		s.answerJobs(handler)
		ctx, cancel := context.WithTimeout(t.Context(), brief)
		defer cancel()
		_, err := client.Jobs(ctx)
		if _, ok := errors.AsType[*rostering.Error](err); ok || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		s.mend()
		wantJobs(t, client)
		s.wantRequests(t, 1, 3)
	})
}

func TestContextThatHasEnded(t *testing.T) {
	inEachForm(t, func(t *testing.T, open opener) {
		s := newService(t)
		client := open(t, s.config())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 20 { // it is the client's turn, too, and a select chooses at random
			if _, err := client.Jobs(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
		}
		wantJobs(t, client) // no attempt at a token request was counted
		s.wantRequests(t, 1, 1)
	})
}

func TestContextEndsTheWaitForATurn(t *testing.T) {
	s := newService(t)
	client := open(t, s.config())
	handler, arrived := block()
	s.answerJobs(handler)
	first, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := client.Jobs(first)
		result <- err
	}()
	<-arrived
	second, cancelSecond := context.WithTimeout(t.Context(), brief)
	defer cancelSecond()
	if _, err := client.Jobs(second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error of the waiting call is %v", err)
	}
	s.wantRequests(t, 1, 1)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the error of the first call is %v", err)
	}
	s.mend()
	wantJobs(t, client)
}
