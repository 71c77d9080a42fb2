package call

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/vars"
)

// How long the others wait for the pending call after its last step, in seconds: less if that
// was a wait, which is short and whose caller may leave.
const (
	pendingHolds    = 30
	waitHoldsIt     = 3
	longestCallWait = 5
	maxCallWaits    = 30 // the sum of a call's waits for others
)

// readCalls reads what the calls of this instance know about each other.
func (c *Call) readCalls() *vars.Calls { return vars.DecodeCalls(c.host.Var(vars.Shared)) }

func (c *Call) writeCalls(calls *vars.Calls) { c.host.SetVar(vars.Shared, calls.Encode()) }

// singleFlight reports whether calls of this instance wait for each other.
func (c *Call) singleFlight() bool { return c.accepts != input.AcceptsNothing && c.now != 0 }

// othersPending reports whether another call of this instance is obtaining a token. Concurrent
// calls may read the clock in another order than they reach the plugin; a time far ahead
// stems from a clock that was set back.
func (c *Call) othersPending(calls *vars.Calls) bool {
	return c.singleFlight() && calls.Until > c.now && calls.Until <= c.now+pendingHolds+clock.Tolerance && int64(calls.Pending) != c.own
}

// joinPending waits for the pending call, unless there is a valid token.
func (c *Call) joinPending(calls *vars.Calls, valid bool) Event {
	switch {
	case valid:
		return tokenReady
	case c.waited >= maxCallWaits:
		err := apierror.Network("another call's token request did not end within 30 seconds", "auth_url")
		c.failure = err.AppendJSON(nil)
		return declined
	}
	c.awaited = int64(calls.Pending)
	c.step.Pause = 1000 * min(longestCallWait, calls.Until-c.now, maxCallWaits-c.waited)
	return callPending
}

// awaitCall makes the wait that joinPending chose the call's step.
func (c *Call) awaitCall() {
	c.stepReturns(0)
	c.step.Kind = Wait
}

// callAwaited adds up a wait by the clock, because a driver ends it as soon as the call may
// continue.
func (c *Call) callAwaited() Event {
	c.waited += min(max(c.now-c.at, 1), longestCallWait)
	return waited
}

// becomePending makes this call the pending call, for which the others wait. If there is one
// already, this call has force, and the other one stays.
func (c *Call) becomePending(calls *vars.Calls) {
	other := c.othersPending(calls)
	c.own, c.foundFree = 0, 0
	if c.singleFlight() && !other {
		calls.Pending++
		c.own = int64(calls.Pending)
	}
	c.stepped(calls, pendingHolds)
}

// stepReturns records when the call returns a step. If it is the pending call, the others
// wait for it for so many seconds from now.
func (c *Call) stepReturns(holds int64) { c.stepped(c.readCalls(), holds) }

func (c *Call) stepped(calls *vars.Calls, holds int64) {
	if !c.inSteps {
		return
	}
	calls.SteppedAt = max(calls.SteppedAt, c.now)
	if int64(calls.Pending) == c.own {
		calls.Until = c.now + holds
	}
	c.writeCalls(calls)
}

// endPending lets the other calls of this instance continue.
func (c *Call) endPending() {
	if c.own == 0 {
		return
	}
	if calls := c.readCalls(); int64(calls.Pending) == c.own {
		calls.Until = 0
		c.writeCalls(calls)
	}
	c.own = 0
}
