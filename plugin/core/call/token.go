package call

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/vars"
)

// sendTokenRequest requests a token, unless the instance has changed since the call decided
// to. The clock was read just before: the token's lifetime starts then.
func (c *Call) sendTokenRequest() Event {
	if left := c.backoffLeft(); left > 0 {
		c.failure = c.lastFailure(left)
	}
	calls := c.readCalls()
	switch {
	case c.failure == nil && (c.in.Force || !c.ready()) &&
		(c.in.Force || c.sharing == locked || !c.othersPending(calls)):
		c.recordAttempt()
		c.stepped(calls, pendingHolds)
		c.at = c.now
		c.request = oauth2.NewTokenRequest(&c.client)
		c.step.Kind, c.step.Request = Send, &c.request
		return stepReturned
	case c.sharing == locked:
		return lockToWrite
	}
	return changed
}

// backoffLeft returns the seconds until the next token request may be sent, or 0.
func (c *Call) backoffLeft() int64 {
	c.loadRetry()
	if c.now == 0 {
		return 0
	}
	since := c.retry.Since
	left := c.retry.Left(c.now)
	if c.retry.Since != since {
		c.host.SetVar(vars.Retry, c.retry.Encode())
	}
	return left
}

// lastFailure returns the last error again, with the remaining seconds.
func (c *Call) lastFailure(left int64) []byte {
	return apierror.AppendObject(nil, c.retry.Error, left)
}

// recordAttempt counts the request as failed before it is sent: on most hosts a failed
// request is a trap, after which nothing can be recorded. A host that sends the requests
// itself reports a failure.
func (c *Call) recordAttempt() {
	if c.now == 0 || c.inSteps {
		return
	}
	c.keepFailure(&apierror.Error{Code: apierror.NetworkError, Retryable: true,
		Message: "the last token request got no response; check auth_url, the allowed hosts and the network"},
		backoff.Wait(c.retry.Failures+1))
}

// keepFailure records a failure in addition to those in c.retry, and the wait after it.
func (c *Call) keepFailure(err *apierror.Error, wait int64) {
	kept := *err
	kept.HasBody = false // belongs to that response alone, and may be long
	r := backoff.Record{Since: c.now, Wait: wait, Failures: min(c.retry.Failures+1, backoff.MaxFailures),
		Call: uint32(c.own), Error: kept.Members()}
	c.host.SetVar(vars.Retry, r.Encode())
	c.setRejected(err.Code == apierror.ServiceUnauthorized && c.current())
}

// setRejected records whether the backoff began with a 401 to the cached token: then a call
// that the service accepts ends it.
func (c *Call) setRejected(rejected bool) {
	if c.token.Rejected != rejected {
		c.token.Rejected = rejected
		c.saveToken()
	}
}

func (c *Call) tokenResponded(r *message.Response) Event {
	c.log(r.Status)
	if c.inSteps {
		c.loadRetry() // without the attempt that recordAttempt recorded in this step
	}
	c.load()
	token, lifetime, err := oauth2.ParseTokenResponse(r, c.secrets)
	if err != nil {
		c.readClock() // the wait counts from the failure
		c.failure = c.backOff(err, r.RetryAfter)
		c.origin = isOld
		c.endPending()
		switch {
		case c.sharing != locked || c.now == 0:
			return changed
		case c.foundRefused != 0:
			return tokenToWrite
		}
		return lockToWrite
	}
	c.expectTrap()
	c.endPending()
	c.keepToken(token, c.at, lifetime, c.refused != 0)
	c.forgetAttempt()
	c.origin, c.inUse = isNew, c.token.Hash
	switch {
	case c.withoutStore():
	case c.token.ExpiresAt() > c.now && c.now != 0:
		return tokenToWrite
	case c.sharing == locked:
		return lockToWrite
	}
	return tokenReady
}

func notKept() *apierror.Error {
	return &apierror.Error{Code: apierror.TokenResponseInvalid, Retryable: true,
		Message: "the host did not keep the token; leave room for 256 KiB of vars (max_var_bytes), then retry"}
}

// expectTrap records a failure before the token is cached: setting a var that is too large
// ends the call on some hosts.
func (c *Call) expectTrap() {
	if c.now != 0 {
		c.keepFailure(notKept(), backoff.Wait(c.retry.Failures+1))
	}
}

// backOff records a failure and returns it as JSON, with the wait after it.
func (c *Call) backOff(err *apierror.Error, retryAfter string) []byte {
	seconds, set := backoff.RetryAfter(retryAfter)
	if !set && c.now == 0 {
		return err.AppendJSON(nil) // without a clock, only a server can set a wait
	}
	if !set {
		seconds = backoff.Wait(c.retry.Failures + 1)
	}
	if c.now != 0 {
		c.keepFailure(err, seconds)
	}
	err.RetryAfter = seconds
	return err.AppendJSON(nil)
}

// forgetAttempt removes the failures that were recorded in advance. Those before them count
// until a call succeeds, because the service may still refuse the new token; get_token
// succeeds with it.
func (c *Call) forgetAttempt() {
	if c.retry.Failures == 0 || c.export == input.GetToken {
		c.host.SetVar(vars.Retry, nil)
		return
	}
	c.retry = backoff.Record{Failures: c.retry.Failures}
	c.host.SetVar(vars.Retry, c.retry.Encode())
}

// giveToken ends a get_token.
func (c *Call) giveToken() Event {
	if c.origin == isTaken {
		c.host.SetVar(vars.Retry, nil)
	}
	c.step.Kind = Give
	switch {
	case c.object != nil:
		c.step.Output = c.object
	case c.origin == isNew && !(c.current() && c.token.ExpiryKnown()):
		object := c.host.Var(vars.Previous)
		if own, ok := input.ParseStoredToken(string(object)); !ok || hash(own.AccessToken) != c.inUse {
			return c.decline(notKept())
		}
		c.step.Output = object
	case !c.inSteps && c.host.Hold(vars.TokenObject):
		c.step.Kind = GiveHeld
	default:
		object := c.host.Var(vars.TokenObject)
		if object == nil {
			return c.evict()
		}
		c.step.Output = object
		c.prepareTokenStep(object)
	}
	return accepted
}

// evict continues without the cached token, whose var is gone: the host may have run out of
// room for vars.
func (c *Call) evict() Event {
	c.forgetToken()
	switch {
	case c.origin == isCached:
		return changed
	case c.failure != nil:
		return c.declineWith(c.failure)
	}
	return c.decline(notKept())
}
