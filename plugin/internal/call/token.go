package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/state"
)

// requestToken requests a token. The clock was read just before: the token's life
// counts from there.
func (c *Call) requestToken() {
	c.holdNote(noteHolds)
	c.at = c.now
	c.request = oauth2.NewTokenRequest(&c.client)
	c.recordAttempt()
	c.step.Kind, c.step.Request = Send, &c.request
}

// wait returns the seconds until the next token request may leave, or 0.
func (c *Call) wait() int64 {
	c.loadRetry()
	if c.now == 0 {
		return 0
	}
	since := c.retry.Since
	left := c.retry.Left(c.now)
	if c.retry.Since != since {
		c.host.SetVar(state.Retry, c.retry.Encode())
	}
	return left
}

// lastFailure returns the last error again, with the seconds left.
func (c *Call) lastFailure(left int64) []byte {
	return apierror.AppendObject(nil, c.retry.Error, left)
}

// recordAttempt counts the request as failed before it leaves: on most hosts a
// failed request is a trap, after which nothing can be recorded. A host that sends the
// requests itself tells of a failure.
func (c *Call) recordAttempt() {
	if c.now == 0 || c.inSteps {
		return
	}
	failed := &apierror.Error{Code: apierror.NetworkError, Retryable: true,
		Message: "the last token request got no answer; check auth_url, the allowed hosts and the network"}
	c.keepFailure(failed, backoff.Wait(c.retry.Failures+1))
}

// keepFailure records one more failure than c.retry has, and the wait after it.
func (c *Call) keepFailure(err *apierror.Error, wait int64) {
	kept := *err
	kept.HasBody = false // belongs to that answer alone, and may be long
	r := backoff.Record{Since: c.now, Wait: wait, Failures: min(c.retry.Failures+1, backoff.MaxFailures),
		Call: c.note, Error: kept.Members()}
	c.host.SetVar(state.Retry, r.Encode())
}

func (c *Call) tokenAnswered(a *message.Answer) Event {
	c.log(a.Status)
	c.load()
	token, lifetime, err := oauth2.ParseTokenResponse(a, c.secrets)
	if err != nil {
		c.readClock() // the wait counts from the failure
		c.failure = c.backOff(err, a.RetryAfter)
		c.endNote()
		if c.sharing == locked && c.now != 0 {
			return lockToWrite
		}
		return noToken
	}
	c.keepToken(token, c.at, lifetime)
	c.token.Obtained = true
	c.saveToken()
	c.forgetAttempt()
	c.endNote()
	switch {
	case c.alone():
		return tokenNew
	case c.token.ExpiresAt() > c.now && c.now != 0:
		return tokenToWrite
	case c.sharing == locked:
		return tokenShortLived
	}
	return tokenNew
}

// backOff records a failure and gives it as the host sees it.
func (c *Call) backOff(err *apierror.Error, retryAfter string) []byte {
	c.loadAttempts()
	seconds, told := backoff.RetryAfter(retryAfter)
	if !told && c.now == 0 {
		return err.AppendJSON(nil) // without a clock there is no wait of our own
	}
	if !told {
		seconds = backoff.Wait(c.retry.Failures + 1)
	}
	if c.now != 0 {
		c.keepFailure(err, seconds)
	}
	err.RetryAfter = seconds
	return err.AppendJSON(nil)
}

// loadAttempts reads the failures so far, without the attempt that recordAttempt
// recorded in this step.
func (c *Call) loadAttempts() {
	if c.inSteps || c.state != RequestingToken {
		c.loadRetry()
	}
}

// forgetAttempt takes back what recordAttempt recorded. The failures before it count
// until a call succeeds: the service may yet refuse the new token. That of get_token
// succeeds with it.
func (c *Call) forgetAttempt() {
	c.loadAttempts()
	if c.retry.Failures == 0 || c.export == input.GetToken {
		c.host.SetVar(state.Retry, nil)
		return
	}
	c.retry = backoff.Record{Failures: c.retry.Failures}
	c.host.SetVar(state.Retry, c.retry.Encode())
}

// giveToken ends a get_token.
func (c *Call) giveToken() Event {
	if c.state == UsingTaken {
		c.host.SetVar(state.Retry, nil)
	}
	switch {
	case c.object != nil:
		c.step.Kind, c.step.Output = Give, c.object
	case !c.inSteps && c.host.Hold(state.TokenObject):
		c.step.Kind = GiveHeld
	default:
		object := c.host.Var(state.TokenObject)
		if object == nil {
			return c.evict()
		}
		c.step.Kind, c.step.Output = Give, object
		c.prepareTokenStep(object)
	}
	return accepted
}

// evict goes on where the cached token is gone from its var: a host may have run out of
// room for vars.
func (c *Call) evict() Event {
	c.cached = false
	switch {
	case c.state == UsingCached:
		return evicted
	case c.failure != nil:
		return c.declineWith(c.failure)
	}
	return c.decline(&apierror.Error{Code: apierror.TokenResponseInvalid, Retryable: true,
		Message: "the host did not keep the new token; leave room for 256 KiB of vars"})
}
