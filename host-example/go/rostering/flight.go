package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// flight is one call under way: the plugin says which request comes next, and the
// driver sends it.
type flight struct {
	driver *driver
	call   string
	input  map[string]any

	flow   json.RawMessage // nil until a request was sent
	asking bool            // the last request asked for a token
	last   answer          // to the last request
	tokens []string        // that the requests so far had
}

// run makes the call. The requests to the service are under way without the
// driver's turn, so any number of flights may be at once.
func (f *flight) run(ctx context.Context) ([]byte, error) {
	for {
		s, err := f.advance(ctx)
		switch {
		case err != nil:
			return nil, err
		case s.Output != nil:
			return s.Output, nil
		case s.Request == nil:
			return f.last.body, nil
		}
		if err := f.send(ctx, s); err != nil {
			return nil, err
		}
	}
}

// advance takes the flight to its next request to the service, or to its end.
func (f *flight) advance(ctx context.Context) (s step, err error) {
	if err := f.driver.turn.take(ctx); err != nil {
		return s, err
	}
	defer f.driver.turn.end()
	if f.driver.shared != nil {
		return f.advanceInPool(ctx)
	}
	return f.toService(ctx)
}

// toService does the same in the driver's turn, which it keeps while a token is asked
// for: the other flights wait for that, and then find the token.
func (f *flight) toService(ctx context.Context) (s step, err error) {
	for {
		if s, err = f.next(); err != nil || !s.Request.forToken() {
			return s, err
		}
		if err := f.sendInHalfTheTime(ctx, s); err != nil {
			return s, err
		}
	}
}

// sendInHalfTheTime leaves the other half for the rest of the call, which may go on
// with the old token if its renewal gets no answer.
func (f *flight) sendInHalfTheTime(ctx context.Context, s step) error {
	if deadline, ok := ctx.Deadline(); ok {
		half, cancel := limit(ctx, (time.Until(deadline) / 2).Round(time.Millisecond))
		defer cancel()
		ctx = half
	}
	return f.send(ctx, s)
}

// send sends the request of a step. That it failed is for the plugin to judge,
// unless the caller gave up: then the flight ends here, and counts for nothing.
func (f *flight) send(ctx context.Context, s step) error {
	f.flow, f.asking = s.Flow, s.Request.forToken()
	if token, ok := strings.CutPrefix(s.Request.Headers["Authorization"], "Bearer "); ok {
		f.tokens = append(f.tokens, token)
	}
	f.last = s.Request.send(ctx, f.driver.http)
	if f.last.err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return nil
}
