package rostering

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Retry calls f until it succeeds, or fails with an error that is not retryable. Between two
// calls it waits for the error's RetryAfter, or else 1 s, doubling to 30 s, with up to a tenth
// of jitter. It returns the last error when ctx ends, and immediately if the wait would end after
// the deadline of ctx.
//
//	jobs, err := rostering.Retry(ctx, func(ctx context.Context) (*rostering.Response, error) {
//		return client.ListJobs(ctx)
//	})
func Retry[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	return RetryIf(ctx, func(e *Error) bool { return e.Retryable }, f)
}

// RetryIf is [Retry] for the errors for which retry returns true, whether they are retryable or not.
func RetryIf[T any](ctx context.Context, retry func(*Error) bool, f func(context.Context) (T, error)) (T, error) {
	for backoff := time.Second; ; backoff = min(2*backoff, 30*time.Second) {
		result, err := f(ctx)
		e, ok := errors.AsType[*Error](err)
		if !ok || !retry(e) {
			return result, err
		}
		wait := e.RetryAfter
		if wait == 0 {
			wait = backoff
		}
		wait += time.Duration(rand.Float64() * float64(wait) / 10)
		if deadline, ok := ctx.Deadline(); ok && time.Now().Add(wait).After(deadline) {
			return result, err
		}
		if pause(ctx, wait); ctx.Err() != nil {
			return result, err
		}
	}
}

// pause waits for a duration, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
