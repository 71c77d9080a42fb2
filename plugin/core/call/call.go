// Package call decides what comes next in a call: which request, which wait, which
// operation on the shared store, and when it is done. It sends nothing: a host does, and
// passes the result.
package call

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/json"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/vars"
)

// Call is one call of an export that sends requests.
type Call struct {
	host   Host
	export input.Export
	in     input.Input
	// now is the last reading of the clock, in Unix seconds, or 0 if the clock is not usable.
	now int64

	cached bool       // a token is cached
	token  vars.Token // what is known about it
	text   string     // the access token, if this call has read or obtained it

	client  config.Client
	service config.Service
	retry   backoff.Record
	request message.Request // the one that is sent, unless it is the held one
	step    Step            // the next, or how the call ended
	object  []byte          // the token object, if this step made it

	// first says that begin returns the step; renews, that its host accepts renew; and renew,
	// that the step has it.
	first, renews, renew bool
	// outdated says that the call began before clear_token.
	outdated bool

	progress
}

// progress is what a call knows in addition to its vars and its config. If the host makes
// the steps, it is in the flow.
type progress struct {
	state State
	// inSteps says that the host sends the requests, with begin and resume. rawInput is the
	// call's input except now and refused.
	inSteps  bool
	rawInput json.Value
	// failure is why the call gets no new token: an error, as JSON.
	failure []byte

	// The rest are the numbers of a flow: see numbers.

	accepts input.Accepts // what else the host can do
	owner   int64         // the client and the epoch in which the call began: see ownerNow
	// at is when the last step was returned, in Unix seconds; 0 if it was a request to the
	// service.
	at int64
	// inUse is the hash of the token in the request to the service, or of the one that the
	// call obtained; 0 for the cached one, whichever that is.
	inUse  int64
	origin origin
	// refused is the hash of the token that the service refused last in this call, or 0. If it
	// is set, the request to the service is a retry. retries counts these.
	refused, retries int64
	// own is the number of this call as the pending call, awaited that of the call for which
	// it waited, and waited the sum of such waits in seconds.
	own, awaited, waited int64
	// sharing is how this call uses the store, and looks counts its waits for the lock.
	sharing sharing
	looks   int64
	// foundFree says that it found no lock and no token, foundRefused that it found a refused
	// token.
	foundFree, foundRefused int64
}

// sharing is how a call uses the store, if the host accepts one.
type sharing = int64

const (
	shares  sharing = iota // uses the store
	locked                 // and holds the lock
	without                // does not: the store failed in this call
)

// withoutStore reports whether the call continues without the store.
func (p *progress) withoutStore() bool {
	return p.accepts != input.AcceptsStore || p.sharing == without
}

// New returns a call for the direct exports, whose requests the plugin sends.
func New(host Host, export input.Export) *Call { return &Call{host: host, export: export} }

// Begin reads the input and returns the first step.
func (c *Call) Begin(rawInput []byte) *Step {
	var err *apierror.Error
	c.in, err = input.Parse(rawInput, c.export, c.inSteps)
	if err != nil {
		return fail(err)
	}
	c.loadSummary()
	c.readClock()
	if c.now == 0 {
		if c.export == input.GetToken {
			return fail(clockUnusable())
		}
		c.host.Log(Warn, "no usable clock: the token is used until the service refuses it; set the clock, or pass now")
	}
	if c.cached && !c.in.Force && c.in.Refused == "" && c.needsNoRenewal() && c.usePrepared() {
		c.state = UsingToken
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
		Message: "the time is wrong; set the machine's clock, give the plugin a real one, or pass now (Unix seconds)"}
}

// Resume takes the response to the request of the last step and returns the next step.
func (c *Call) Resume(r *message.Response) *Step {
	if c.state == RequestingToken {
		return c.run(c.tokenResponded(r))
	}
	return c.run(c.serviceResponded(r, true))
}

// run goes from state to state until there is a step to return.
func (c *Call) run(on Event) *Step {
	for on != stepReturned {
		c.state = after(c.state, on)
		on = c.enter()
	}
	return &c.step
}

// enter carries out the call's state: it makes the step that the call returns, or returns
// the event that leads to the next state.
func (c *Call) enter() Event {
	switch c.state {
	case Choosing:
		return c.choose()
	case AwaitingCall:
		c.awaitCall()
	case AwaitingLock:
		c.awaitLock()
	case RequestingToken:
		return c.sendTokenRequest()
	case UsingToken:
		if c.export == input.GetToken {
			return c.giveToken()
		}
		return c.sendToService()
	case Succeeded, Failed:
	default:
		c.storeStep()
	}
	return stepReturned
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

// readClock reads the clock. If it is not usable, the time at which the last step was
// returned counts. The time in a flow alone is not trusted: if it were in the future, it
// would make every correct clock unusable, as long as the token obtained with it is cached.
func (c *Call) readClock() {
	c.now = c.in.Now
	if !c.in.HasNow {
		c.now = c.host.Now()
	}
	askedAt := c.token.AskedAt
	if c.in.Force {
		askedAt = 0 // to get a token after a clock was set back
	}
	if !clock.Usable(c.now, askedAt) {
		c.now = 0
		if c.at != 0 {
			calls := c.readCalls()
			at := min(c.at, calls.SteppedAt)
			if clock.Usable(at, 0) {
				c.now = at
			}
		}
	}
}

// log writes one debug line for a request that got a response.
func (c *Call) log(status int) {
	if status == 0 || status == 200 && c.request.URL == "" && c.export == input.ListJobs && c.host.LogVar(vars.LogLine) {
		return
	}
	if c.request.URL == "" {
		c.request = c.serviceRequest("")
	}
	c.host.Log(Debug, c.request.Line(status))
}
