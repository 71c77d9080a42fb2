package rostering

import (
	"context"
	"os"
	"sync"
	"time"
)

// holder holds the token of a client. One flow at a time gets another from the plugin, apart from
// the calls that wait. Rules are those of docs/contract.md, A host.
type holder struct {
	shared  *shared
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

// maxAge is the age at which a step is abandoned. None takes that long, unless the process was
// frozen.
const maxAge = 30 * time.Second

// newHolder creates a holder. AWS Lambda freezes a process after each call: a flow that
// continued would keep its lock in the store, and lose the response to its token request.
func newHolder(c *shared) *holder {
	return &holder{shared: c, settles: os.Getenv("AWS_LAMBDA_FUNCTION_NAME") != ""}
}

// token returns a token for a call. The service refused the call's last one, mine, unless that
// is empty.
func (h *holder) token(ctx context.Context, mine string) (*tokenObject, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for {
		now := h.shared.now()
		if now < h.latest { // the clock was set back (rule 7)
			h.kept = nil
		}
		if h.latest = now; h.kept != nil && now < h.kept.Until {
			return h.kept.Token, nil
		}
		f := h.join(ctx, false)
		seen := f.tokens
		if err := h.wait(ctx, f); err != nil {
			return nil, err
		}
		if f.tokens > seen {
			return f.token, nil
		}
		// Rule 2: the error is not that of others.
		if f.err != nil && !f.force && (f.refused == nil || f.refused.token == mine) {
			return nil, f.err
		}
	}
}

// force returns the token of a flow that begins from now on, which all share that wait for it
// (rule 1).
func (h *holder) force(ctx context.Context) (*tokenObject, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for before := h.flow; ; {
		f := h.join(ctx, true)
		if err := h.waitForEnd(ctx, f); err != nil {
			return nil, err
		}
		if f.ended && f.force && f != before {
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
	if h.flow != nil {
		_ = h.waitForEnd(ctx, h.flow) // the call has its result
	}
}

// written waits until the flow that runs does not write to the store, at the end of the client: its lock
// would stay there, and others wait for it.
func (h *holder) written() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for f := h.running(); f != nil && f.writes; f = h.running() {
		_ = h.wait(context.Background(), f)
	}
}

// accept notes that the service did not refuse a token.
func (h *holder) accept(token string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.worked = token
}

// refuse notes that the service refused a token. The next flow replaces it, unless it is replaced
// (rule 3). first is whether this was the first 401 of a call that can be sent again (rule 4).
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
// clear_token; after set_token, the calls that wait for it begin another (rule 1).
func (h *holder) forget(set bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.kept = nil; set {
		h.refused = nil
		h.abandon()
	}
}

// publish has all who wait use the token of a step, before the plugin's state changes again (rule 1).
func (h *holder) publish(f *flow, s *step) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.flow != f { // abandoned: its result does not count (rule 6)
		return
	}
	f.touch()
	if f.writes { // for written
		f.wake()
	}
	f.writes = s.Op == "set"
	// Rule 3: the service may refuse the token while the flow runs.
	if s.Token != nil && (h.refused == nil || h.refused.token != s.Token.AccessToken) {
		h.kept, h.refused = s, nil
		f.token = s.Token
		f.tokens++
		f.wake()
	}
	if s.Step == "done" {
		f.token = s.Token
		h.finish(f, nil)
	}
}

// end ends a flow with an error, for all who wait, unless it has ended or was abandoned (rule 2).
func (h *holder) end(f *flow, err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.flow == f {
		h.finish(f, err)
	}
}

// busy reports whether a flow runs.
func (h *holder) busy() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.running() != nil
}

// The methods below are called with the mutex locked.

// running returns the flow that runs, or nil. One whose step is too old is abandoned (rule 6).
func (h *holder) running() *flow {
	if h.flow != nil && h.flow.age() > maxAge {
		h.abandon()
	}
	return h.flow
}

// join returns the flow that runs, or begins one, which does not end with the call that began it
// (rule 2).
func (h *holder) join(ctx context.Context, force bool) *flow {
	if f := h.running(); f != nil {
		return f
	}
	f := &flow{holder: h, force: force, news: make(chan struct{})}
	if !force {
		f.refused, h.refused = h.refused, nil
	}
	f.touch()
	ctx, f.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(h.shared.open, func() { f.cancel(ErrClosed) })
	h.flow = f
	h.shared.flows.Add(1)
	go func() {
		defer func() { h.shared.log(f.lines...) }() // closing does not wait for the handler, which may call Close
		defer h.shared.flows.Done()
		defer stop()
		f.run(ctx)
	}()
	return f
}

// abandon ends the flow that runs, without a result.
func (h *holder) abandon() {
	if f := h.flow; f != nil {
		f.cancel(nil)
		h.flow = nil
		f.wake()
	}
}

func (h *holder) finish(f *flow, err error) {
	f.ended, f.err, h.flow = true, err, nil
	f.wake()
}

// wait waits for news of a flow, or until its step is too old.
func (h *holder) wait(ctx context.Context, f *flow) error {
	news, timer := f.news, time.NewTimer(maxAge-f.age()+time.Millisecond)
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
