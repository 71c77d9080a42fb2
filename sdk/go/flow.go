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
	force   bool
	refused *refusal // the refused token that began it, or nil
	cancel  context.CancelCauseFunc
	cause   error // of its last failed request
	// storeFailed is whether the last step was one of the store, and failed.
	storeFailed bool
	lines       []line // to be logged at the end

	news   chan struct{} // closed and replaced when there is a token, and at the end
	token  *tokenObject  // of the last step that had one
	tokens int           // how many steps had one
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
	if f.holder.core.store != nil {
		input["accepts"] = []string{"store", "wait"}
	}
	if f.refused != nil {
		input["refused"], input["used"] = f.refused.token, f.refused.used
	}
	for export := "begin"; ; export = "resume" {
		s := f.call(export, input)
		if s == nil || s.Step == "done" {
			return
		}
		var err error
		if input, err = f.carryOut(ctx, s); err != nil {
			f.publish(nil, err)
			return
		}
		input["flow"] = s.Flow
	}
}

// end ends a flow that has not ended, since its goroutine does.
func (f *flow) end() {
	f.publish(nil, fmt.Errorf("rostering: the token request: %w", aborted{recover()}))
}

// call calls begin or resume, and publishes the step before the plugin's state changes again.
// It returns nil after an error.
func (f *flow) call(export string, input result) (s *step) {
	c := f.holder.core
	input["now"] = c.now()
	lines := c.instance.use(export, object(input), func(output []byte, err error) {
		if err == nil {
			s, err = decodeStep(output)
		}
		if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeNetworkError && f.cause != nil {
			e.because(f.cause)
		}
		f.publish(s, err)
	})
	for i := range lines { // the warning of a store is shown without a logger, too
		lines[i].always = f.storeFailed && lines[i].level == slog.LevelWarn
	}
	f.lines = append(f.lines, lines...)
	return s
}

// publish has all who wait know a step, or the error that ends the flow, unless the flow has
// ended or was abandoned.
func (f *flow) publish(s *step, err error) {
	h := f.holder
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.flow != f {
		return
	}
	f.touch()
	// A call may refuse the token while the flow runs.
	if err == nil && s.Token != nil && (h.refused == nil || h.refused.token != s.Token.AccessToken) {
		h.kept, h.refused = s, nil
		f.token = s.Token
		f.tokens++
		f.wake()
	}
	if err == nil && s.Step == "done" {
		f.token = s.Token
	}
	if err != nil || s.Step == "done" {
		f.ended, f.err, h.flow = true, err, nil
		f.wake()
	}
}

func (f *flow) wake() {
	close(f.news)
	f.news = make(chan struct{})
}

// touch begins a step.
func (f *flow) touch() { f.wall, f.mono = f.holder.core.now(), time.Now() }

// age returns how long ago the step began, by the clock that shows more.
func (f *flow) age() time.Duration {
	wall := time.Duration(f.holder.core.now()-f.wall) * time.Second
	return max(wall, time.Since(f.mono))
}

// carryOut carries out a step.
func (f *flow) carryOut(ctx context.Context, s *step) (result, error) {
	r, err := result{}, error(nil)
	c := f.holder.core
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
