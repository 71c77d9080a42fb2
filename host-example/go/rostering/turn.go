package rostering

import (
	"context"
	"fmt"
	"time"
)

// turn is held by one goroutine at a time. A sync.Mutex could not be waited for with
// a context.
type turn chan struct{}

func newTurn() turn {
	t := make(turn, 1)
	t <- struct{}{}
	return t
}

func (t turn) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err // even if the turn is free
	}
	select {
	case <-t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) end() { t <- struct{}{} }

// limit bounds a context, unless timeout is not positive.
func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, timeout,
		fmt.Errorf("no answer within %v: %w", timeout, context.DeadlineExceeded))
}
