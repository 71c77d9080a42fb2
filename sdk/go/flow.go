package rostering

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// flow is a token flow of the plugin, whose steps it carries out. What changes is guarded by
// the holder's mutex.
type flow struct {
	holder  *holder
	refused *refusal // the refused token that it replaces, or nil
	force   bool
	cancel  context.CancelCauseFunc
	cause   error // of its last failed request
	// storeFailed is whether the last step was one of the store, and failed.
	storeFailed bool
	lines       []line // to be logged at the end

	news   chan struct{} // closed and replaced when there is a token, and at the end
	token  *tokenObject  // of the last step that had one
	tokens int           // how many steps had one that calls may use
	writes bool          // whether its step writes to the store
	ended  bool          // false for a flow that was abandoned
	err    error         // with which it ended
	wall   int64         // when the step began, by the client's clock
	mono   time.Time     // the same by the monotonic clock, which may stop with the machine
}

// run carries out the flow. Whatever ends it, ends it for all who wait.
func (f *flow) run(ctx context.Context) {
	defer f.cancel(nil)
	defer f.end()
	input := result{"accepts": []string{"wait"}, "force": f.force}
	if f.holder.shared.store != nil {
		input["accepts"] = []string{"store", "wait"}
	}
	if f.refused != nil {
		input["refused"], input["used"] = f.refused.token, f.refused.used
	}
	s, err := f.ask("begin", input)
	for err == nil && s.Step != "done" {
		if input, err = f.carryOut(ctx, s); err == nil {
			input["flow"] = s.Flow
			s, err = f.ask("resume", input)
		}
	}
	if err != nil {
		f.holder.end(f, err)
	}
}

// end ends a flow whose goroutine does.
func (f *flow) end() {
	f.holder.end(f, fmt.Errorf("rostering: the token request: %w", aborted{recover()}))
}

// ask returns the next step, which is published before the plugin's state changes again.
func (f *flow) ask(export string, input result) (s *step, err error) {
	c := f.holder.shared
	input["now"] = c.now()
	lines := c.plugin.use(export, object(input), func(output []byte, failed error) {
		if err = failed; err == nil {
			s, err = decodeStep(output)
		}
		if err == nil {
			f.holder.publish(f, s)
		}
	})
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeNetworkError && f.cause != nil {
		e.because(f.cause)
	}
	for i := range lines { // the warning of a store is shown without a logger, too
		lines[i].always = f.storeFailed && lines[i].level == slog.LevelWarn
	}
	f.lines = append(f.lines, lines...)
	return s, err
}

// carryOut carries out a step.
func (f *flow) carryOut(ctx context.Context, s *step) (result, error) {
	r, err := result{}, error(nil)
	c := f.holder.shared
	switch s.Step {
	case "request":
		r, err = s.requestToken(ctx, c.http)
		if a, ok := err.(aborted); ok {
			return nil, fmt.Errorf("rostering: the HTTP client: %w", a)
		}
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			c.reconnect()
		}
		f.cause = err
	case "store":
		r, err = s.useStore(ctx, c.store)
	case "wait":
		pause(ctx, seconds(s.Seconds*(1+rand.Float64()/2))) // at random, so that a fleet is no thundering herd
	default:
		return nil, pluginFailed("it returned an unknown step")
	}
	if ctx.Err() != nil {
		return nil, left(ctx) // the client is closed, which is no failure of a server
	}
	f.storeFailed = s.Step == "store" && err != nil
	switch {
	case f.storeFailed:
		r = result{"failed": fmt.Sprint(err)} // whose method may panic
	case err != nil:
		r = failure(err)
	}
	return r, nil
}

// wake ends the waits. It is called with the holder's mutex locked.
func (f *flow) wake() {
	close(f.news)
	f.news = make(chan struct{})
}

// touch begins a step.
func (f *flow) touch() { f.wall, f.mono = f.holder.shared.now(), time.Now() }

// age returns how long ago the step began, by the clock that shows more (rule 6).
func (f *flow) age() time.Duration {
	wall := time.Duration(f.holder.shared.now()-f.wall) * time.Second
	return max(wall, time.Since(f.mono))
}

// result is an input of the plugin, mostly the result of a step.
type result map[string]any

// object encodes an input of the plugin, which cannot fail. It escapes no HTML, which the plugin reads slowly.
func object(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
	return b.Bytes()
}
