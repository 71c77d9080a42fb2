package rostering_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

// brief is a timeout for whose end a test waits.
const brief = 50 * time.Millisecond

func TestContextEndsACall(t *testing.T) {
	for want, limit := range map[error]func(context.Context) (context.Context, context.CancelFunc){
		context.Canceled: context.WithCancel,
		context.DeadlineExceeded: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, brief)
		},
	} {
		s, client := open(t)
		s.Fault(sandbox.Fault{Server: "jobs", Hold: true})
		ctx, cancel := limit(t.Context())
		defer cancel()
		if want == context.Canceled {
			go func() {
				s.Wait(1, 1)
				cancel()
			}()
		}
		_, err := client.ListJobs(ctx)
		if _, ok := errors.AsType[*rostering.Error](err); ok || !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
		s.ClearFaults()
		wantJobs(t, client)
	}
}

func TestTimeout(t *testing.T) {
	s, client := open(t, rostering.WithTimeout(brief))
	s.Fault(sandbox.Fault{Server: "jobs", Hold: true})
	_, err := client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeNetworkError)
	if !e.Retryable || !strings.Contains(e.Message, "timed out after 50ms") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %+v", e)
	}
	s.ClearFaults()
	if _, err := client.ListJobs(t.Context(), rostering.WithCallTimeout(0)); err != nil {
		t.Errorf("without a timeout: %v", err)
	}
	s.Fault(sandbox.Fault{Server: "jobs", Hold: true})
	_, err = client.ListJobs(t.Context(), rostering.WithCallTimeout(2*brief))
	if e := wantError(t, err, rostering.CodeNetworkError); !strings.Contains(e.Message, "timed out after 100ms") {
		t.Errorf("the error is %+v", e)
	}
	s.ClearFaults()
}

func TestTimeoutByDefault(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		client := newClient(t, fullConfig, service(nil))
		started := time.Now()
		_, err := client.ListJobs(t.Context())
		if e := wantError(t, err, rostering.CodeNetworkError); !e.Retryable || time.Since(started) != rostering.DefaultTimeout {
			t.Errorf("after %s: %v", time.Since(started), err)
		}
	})
}

func TestContextThatHasEnded(t *testing.T) {
	s, client := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.ListJobs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	s.WantCounts(t, 0, 0)
}
