package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/vars"
)

// How long the others wait for the pending call without another step of it, in seconds. A
// wait is short, and its caller may leave.
const (
	pendingHolds    = 30
	waitHoldsIt     = 3
	longestCallWait = 5
	maxCallWaits    = 30 // the sum of a call's waits for others
)

// readCalls reads what the calls of this instance know of each other.
func (c *Call) readCalls() *vars.Calls { return vars.DecodeCalls(c.host.Var(vars.Shared)) }

func (c *Call) writeCalls(calls *vars.Calls) { c.host.SetVar(vars.Shared, calls.Encode()) }

// singleFlight reports whether calls of this instance wait for each other.
func (c *Call) singleFlight() bool { return c.accepts != input.AcceptsNothing && c.now != 0 }

// othersPending reports whether another call of this instance obtains a token. Calls that
// begin at once may read the clock in another order than they reach the plugin; a time far
// ahead is that of a clock that was set back.
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

// awaitCall returns the wait that joinPending chose.
func (c *Call) awaitCall() {
	c.stepReturns(0)
	c.step.Kind = Wait
}

// callAwaited charges a wait by the clock: a driver ends it as soon as it may continue.
func (c *Call) callAwaited() Event {
	c.waited += min(max(c.now-c.at, 1), longestCallWait)
	return waited
}

// becomePending makes this call the one for which the others wait. One with force leaves
// the place to a call that has it already.
func (c *Call) becomePending(calls *vars.Calls) {
	other := c.othersPending(calls)
	c.own, c.foundFree = 0, 0
	if c.singleFlight() && !other {
		calls.Pending++
		c.own = int64(calls.Pending)
	}
	c.stepped(calls, pendingHolds)
}

// stepReturns notes when the call returns a step. If it is the pending call, the others
// wait for so many seconds more.
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
