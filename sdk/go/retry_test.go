package rostering_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"automatic-rostering.example/rostering"
)

// retry calls Retry with a function that fails with each error in turn, and then succeeds. It
// returns how many calls were made, and how long the waits were.
func retry(ctx context.Context, errs ...error) (calls int, waits []time.Duration, err error) {
	last := time.Now()
	value, err := rostering.Retry(ctx, func(context.Context) (int, error) {
		if calls++; calls > 1 {
			waits = append(waits, time.Since(last))
		}
		last = time.Now()
		if calls <= len(errs) {
			return 0, errs[calls-1]
		}
		return 7, nil
	})
	if err == nil && value != 7 {
		err = errors.New("no value")
	}
	return calls, waits, err
}

func TestRetry(t *testing.T) {
	again := &rostering.Error{Code: rostering.CodeNetworkError, Retryable: true}
	after := &rostering.Error{Code: rostering.CodeServiceError, Retryable: true, RetryAfter: 90 * time.Second}
	final := &rostering.Error{Code: rostering.CodeServiceError}
	synctest.Test(t, func(t *testing.T) {
		_, waits, err := retry(t.Context(), again, again, after, again, again, again, again, again)
		if err != nil {
			t.Error(err)
		}
		for n, seconds := range []time.Duration{1, 2, 90, 8, 16, 30, 30, 30} {
			if want := seconds * time.Second; waits[n] < want || waits[n] > want+want/10 {
				t.Errorf("wait %d was %s, want %s", n, waits[n], want)
			}
		}
	})
	for _, last := range []error{final, errors.New("another")} {
		synctest.Test(t, func(t *testing.T) {
			if calls, _, err := retry(t.Context(), again, last); err != last || calls != 2 {
				t.Errorf("after %d calls: %v", calls, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if calls, waits, err := retry(ctx, again, after); err != after || calls != 2 || len(waits) != 1 || ctx.Err() != nil {
			t.Errorf("with a deadline, after %d calls: %v, %v", calls, err, ctx.Err())
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		start := time.Now()
		if calls, _, err := retry(ctx, after); err != after || calls != 1 || time.Since(start) != time.Minute {
			t.Errorf("canceled after %d calls and %s: %v", calls, time.Since(start), err)
		}
	})
}
