package rostering

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// flow is a token flow of the plugin, whose steps it carries out. What changes is guarded by
// the holder's mutex.
type flow struct {
	holder  *holder
	force   bool
	refused *refusal // with which it began, or nil
	cancel  context.CancelCauseFunc
	cause   error // of its last failed request

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
	err := errors.New("rostering: the HTTP client or the store ended the goroutine of the token request")
	defer func() { f.end(err) }()
	input := result{"accepts": []string{}, "force": f.force}
	if f.holder.driver.store != nil {
		input["accepts"] = []string{"store"}
	}
	if f.refused != nil {
		input["refused"], input["used"] = f.refused.token, f.refused.used
	}
	s, failed := f.call("begin", input)
	for failed == nil && s.Step != "done" {
		if input, failed = f.carryOut(ctx, s); failed == nil {
			input["flow"] = s.Flow
			s, failed = f.call("resume", input)
		}
	}
	if e, ok := errors.AsType[*Error](failed); ok && e.Code == CodeNetworkError {
		e.cause = f.cause
	}
	err = failed
}

// call calls begin or resume, and passes the step on before the plugin's state changes again.
func (f *flow) call(export string, input result) (s *step, err error) {
	input["now"] = f.holder.driver.now()
	f.holder.driver.instance.use(export, object(input), func(output []byte, failed error) {
		if err = failed; err == nil {
			s, err = decodeStep(output)
		}
		if err == nil {
			f.publish(s)
		}
	})
	return s, err
}

func (f *flow) publish(s *step) {
	h := f.holder
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.flow != f {
		return // abandoned
	}
	f.touch()
	if s.Token != nil && (h.refused == nil || h.refused.token != s.Token.AccessToken) { // which a call may refuse meanwhile
		h.kept, h.refused = s, nil
		f.token = s.Token
		f.tokens++
		f.wake()
	}
	if s.Step == "done" { // at once, because the service may refuse the token
		f.token = s.Token
		f.finish(nil)
	}
}

// end ends the flow for all who wait, unless it has ended or was abandoned.
func (f *flow) end(err error) {
	f.holder.mutex.Lock()
	defer f.holder.mutex.Unlock()
	if f.holder.flow == f {
		f.finish(err)
	}
}

func (f *flow) finish(err error) {
	f.ended, f.err, f.holder.flow = true, err, nil
	f.wake()
}

func (f *flow) wake() {
	close(f.news)
	f.news = make(chan struct{})
}

// touch begins a step.
func (f *flow) touch() { f.wall, f.mono = f.holder.driver.now(), time.Now() }

// age returns how long ago the step began, by the clock that shows more.
func (f *flow) age() time.Duration {
	wall := time.Duration(f.holder.driver.now()-f.wall) * time.Second
	return max(wall, time.Since(f.mono))
}

// carryOut carries out a step.
func (f *flow) carryOut(ctx context.Context, s *step) (result, error) {
	r, err := result{}, error(nil)
	d := f.holder.driver
	switch s.Step {
	case "request":
		r, err = s.request(ctx, d.http)
		f.cause = err
	case "store":
		if r, err = s.do(ctx, d.store); err != nil && ctx.Err() == nil {
			d.trouble.log(s, err)
		}
	case "wait":
		pause(ctx, seconds(s.Seconds*(1+rand.Float64()/2))) // at random, so that a fleet is no thundering herd
	default:
		return nil, fmt.Errorf("rostering: the plugin returned an unknown step %q", s.Step)
	}
	if ctx.Err() != nil {
		return nil, left(ctx) // the client is closed, which is no failure of a server
	}
	if err != nil {
		r = result{"failed": reason(err)}
	}
	return r, nil
}

// result is an input of the plugin, mostly the result of a step.
type result map[string]any

// object encodes an input of the plugin, which cannot fail.
func object(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}
