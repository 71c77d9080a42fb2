// Package call decides what comes next in a call: which request, which wait, which
// operation of the shared store, and when it is done. It sends nothing: a host does,
// and hands back what came.
package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/json"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/state"
)

// Call is one call of an export that makes requests.
type Call struct {
	host   Host
	export input.Export
	in     input.Input
	// now is the last reading of the clock, in Unix seconds, or 0 if it cannot be
	// trusted.
	now int64

	cached bool        // a token is cached
	token  state.Token // and this is known of it
	text   string      // the access token, where this call has read or obtained it

	client  config.Client
	service config.Service
	retry   backoff.Record
	request message.Request // the one that is sent, unless it is the held one
	step    Step            // the next, or how the call ended
	failure []byte          // why there is no new token: an error, as JSON
	object  []byte          // the token object, where this step made it

	progress
}

// progress is what a call knows beside its vars and its config. Where the host makes the
// steps, it travels in the flow.
type progress struct {
	state State
	// inSteps says that the host sends the requests itself, by begin and resume; accepts
	// is what else it can do. rawInput is what its input holds but now and refused.
	inSteps  bool
	accepts  input.Accepts
	rawInput json.Value
	// at is when the last step was handed out, in Unix seconds.
	at int64
	// owner names the client and the epoch in which the call began: see ownerOf.
	owner uint32
	// inUse is the generation of the token in the request to the service; 0 for the
	// cached one, whichever that is.
	inUse uint32
	// refused is the hash of the token that the service refused in this call, or 0: the
	// request to the service is then a repeat.
	refused uint64
	// note is that of this call, or of the call for which it waited, and waits counts
	// the waits for that note, or for the lock.
	note  uint32
	waits int
	// sharing is what this call has of the store, and foundFree says that it found no
	// lock and no token.
	sharing   sharing
	foundFree bool
}

// sharing is what a call has of the store, where the host accepts one.
type sharing uint8

const (
	shares  sharing = iota // the store
	locked                 // and the lock in it
	without                // nothing: the store failed in this call
)

// alone reports whether the call goes on without the store.
func (p *progress) alone() bool { return p.accepts != input.AcceptsStore || p.sharing == without }

// New is a call that has not begun, and whose requests the plugin sends.
func New(host Host, export input.Export) *Call { return &Call{host: host, export: export} }

// Begin reads the input and gives the first step.
func (c *Call) Begin(rawInput []byte) *Step {
	var err *apierror.Error
	if c.in, err = input.Parse(rawInput, c.export, c.inSteps); err != nil {
		return fail(err)
	}
	c.glance()
	c.readClock()
	if c.now == 0 {
		if c.export == input.GetToken {
			return fail(clockUnusable())
		}
		c.host.Log(Warn, "no usable clock: the token is used until the service refuses it; give the plugin a real clock, or now in the input")
	}
	if c.cached && !c.in.Force && c.in.Refused == "" && c.needsNoRenewal() && c.usePrepared() {
		c.state = UsingCached
		return &c.step
	}
	c.load()
	if c.in.Refused != "" && !c.dropRefused() {
		return &c.step
	}
	return c.run(c.enter())
}

func clockUnusable() *apierror.Error {
	return &apierror.Error{Code: apierror.ClockUnusable,
		Message: "the host's clock is not set; give the plugin a real clock, or now (Unix seconds) in the input"}
}

// Resume takes the answer to the request of the last step and gives the next.
func (c *Call) Resume(a *message.Answer) *Step {
	if c.state == RequestingToken {
		return c.run(c.tokenAnswered(a))
	}
	return c.run(c.serviceAnswered(a))
}

// run goes from state to state until there is a step to hand out.
func (c *Call) run(on Event) *Step {
	for on != handedOut {
		c.state = after(c.state, on)
		on = c.enter()
	}
	return &c.step
}

// enter does what a state is for: it makes the step that the call hands out, or gives the
// event that leads on.
func (c *Call) enter() Event {
	switch c.state {
	case Choosing:
		return c.choose()
	case AwaitingCall:
		c.pause(callPause)
	case ReadingToken, ReadingLock, TakingLock, WritingToken, WritingDone, WritingFailure, WritingRejection:
		c.storeStep()
	case AwaitingLock, AwaitingToken:
		c.pause(lockPause)
	case RequestingToken:
		c.requestToken()
	case FallingBack:
		return c.fallBack()
	case UsingCached, UsingTaken, UsingNew, UsingOld:
		if c.export == input.GetToken {
			return c.giveToken()
		}
		return c.sendToService()
	}
	return handedOut
}

// decline ends the call with an error.
func (c *Call) decline(err *apierror.Error) Event {
	return c.declineWith(err.AppendJSON(nil))
}

func (c *Call) declineWith(err []byte) Event {
	c.step.Kind, c.step.Output = Fail, err
	return declined
}

func fail(err *apierror.Error) *Step {
	return &Step{Kind: Fail, Output: err.AppendJSON(nil)}
}

// readClock reads the clock. One that cannot be trusted any more counts as it did when the
// last step was handed out.
func (c *Call) readClock() {
	c.now = c.in.Now
	if !c.in.HasNow {
		c.now = c.host.Now()
	}
	if !clock.Usable(c.now, c.token.AskedAt) {
		c.now = 0
		if clock.Usable(c.at, 0) {
			c.now = c.at
		}
	}
}

// log is one debug line for a request that was answered.
func (c *Call) log(status int) {
	if status == 0 || status == 200 && c.request.URL == "" && c.export == input.ListJobs && c.host.LogVar(state.LogLine) {
		return
	}
	if c.request.URL == "" {
		c.request = c.serviceRequest("")
	}
	c.host.Log(Debug, c.request.Line(status))
}
