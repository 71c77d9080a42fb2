package rostering

import (
	"context"
	"os"
	"sync"
	"time"
)

// holder holds the token of a client. One flow at a time gets another token from the plugin,
// apart from the calls that wait for it.
type holder struct {
	core    *core
	settles bool // whether calls wait for a flow to end before they return

	mutex   sync.Mutex // not held during I/O, nor while the plugin runs
	kept    *step      // with the token that calls use until its time; or nil
	latest  int64      // time at which a token was looked for
	worked  string     // the last token that the service accepted
	refused *refusal   // with which the next flow begins; or nil
	flow    *flow      // that runs, or nil
}

// refusal is a token that the service refused.
type refusal struct {
	token string
	used  bool // as in the contract
}

// mostAge is the age at which a step is abandoned. None takes that long, unless the process
// was frozen.
const mostAge = 30 * time.Second

// newHolder creates a holder. AWS Lambda freezes a process after each call: a flow that
// continued would keep its lock in the store, and lose the response to its token request.
func newHolder(c *core) *holder {
	return &holder{core: c, settles: os.Getenv("AWS_LAMBDA_FUNCTION_NAME") != ""}
}

// token returns a token for a call. The service refused the call's last one, mine, unless that
// is empty.
func (h *holder) token(ctx context.Context, mine string) (*tokenObject, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for {
		now := h.core.now()
		if now < h.latest { // the clock was set back
			h.kept = nil
		}
		if h.latest = now; h.kept != nil && now < h.kept.Until {
			return h.kept.Token, nil
		}
		f := h.running()
		if f == nil {
			f = h.begin(ctx, false)
		}
		seen := f.tokens
		if err := h.wait(ctx, f); err != nil {
			return nil, err
		}
		if f.tokens > seen {
			return f.token, nil
		}
		if f.err != nil && !f.force && (f.refused == nil || f.refused.token == mine) {
			return nil, f.err
		}
	}
}

// force returns the token of a flow that begins from now on and ignores the present token. All
// callers that wait for such a flow share it.
func (h *holder) force(ctx context.Context) (*tokenObject, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for before := h.running(); ; {
		f := h.running()
		if f == nil {
			f = h.begin(ctx, true)
		}
		if err := h.waitForEnd(ctx, f); err != nil {
			return nil, err
		}
		if f.force && f != before && f.ended {
			return f.token, f.err
		}
	}
}

// settle waits for the end of the flow that runs, if the process may be frozen after the call.
func (h *holder) settle(ctx context.Context) {
	if !h.settles {
		return
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if f := h.running(); f != nil {
		_ = h.waitForEnd(ctx, f) // the call has its result
	}
}

// accept notes that the service did not refuse a token.
func (h *holder) accept(token string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.worked = token
}

// refuse notes that the service refused a token. The next flow replaces it, unless another token
// or the running flow does. first is whether this was the first 401 of a call that can be repeated.
func (h *holder) refuse(token string, first bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.kept != nil && h.kept.Token.AccessToken == token {
		h.kept = nil
	}
	replaced := h.flow != nil && h.flow.refused != nil && h.flow.refused.token == token
	if h.kept == nil && !replaced {
		h.refused = &refusal{token, first && token == h.worked}
	}
}

// forget forgets the token, after clear_token or set_token. The plugin restarts a running flow after
// clear_token; a token that was set replaces it, and the calls that wait for it begin another.
func (h *holder) forget(set bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.kept = nil
	if set {
		h.refused = nil
	}
	if set && h.flow != nil {
		h.abandon()
	}
}

// busy reports whether a flow runs.
func (h *holder) busy() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.running() != nil
}

// The methods below are called with the mutex locked.

// running returns the flow that runs, if there is one. One that never ends is abandoned.
func (h *holder) running() *flow {
	if h.flow != nil && h.flow.age() > mostAge {
		h.abandon()
	}
	return h.flow
}

func (h *holder) abandon() {
	h.flow.cancel(nil)
	h.flow.wake()
	h.flow = nil
}

// begin begins a flow, which does not end with the call that began it.
func (h *holder) begin(ctx context.Context, force bool) *flow {
	f := &flow{holder: h, force: force, news: make(chan struct{})}
	if !force {
		f.refused, h.refused = h.refused, nil
	}
	f.touch()
	ctx, f.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(h.core.open, func() { f.cancel(ErrClosed) })
	h.flow = f
	h.core.flows.Add(1)
	go func() {
		defer func() { h.core.log(f.lines...) }() // closing does not wait for the handler, which may call Close
		defer h.core.flows.Done()
		defer stop()
		f.run(ctx)
	}()
	return f
}

// wait waits for news of a flow, or until its step is too old.
func (h *holder) wait(ctx context.Context, f *flow) error {
	news, timer := f.news, time.NewTimer(mostAge-f.age()+time.Millisecond)
	h.mutex.Unlock()
	defer h.mutex.Lock()
	defer timer.Stop()
	select {
	case <-news:
	case <-timer.C:
	case <-ctx.Done():
		return left(ctx)
	}
	return nil
}

// waitForEnd waits until a flow has ended or was abandoned.
func (h *holder) waitForEnd(ctx context.Context, f *flow) error {
	for h.running() == f {
		if err := h.wait(ctx, f); err != nil {
			return err
		}
	}
	return nil
}
