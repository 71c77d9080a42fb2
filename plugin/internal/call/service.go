package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/jobs"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/vars"
)

// sendToService sends the request to the service: the prepared one if it fits, else one
// that is prepared for the next calls too. A caller's own request is not prepared.
func (c *Call) sendToService() Event {
	if c.refused != 0 {
		c.host.Log(Warn, "the service refused the token; the request is retried with another one")
	}
	if c.origin == isCached && c.usePrepared() {
		return stepReturned
	}
	if err := c.readService(); err != nil {
		return c.decline(err)
	}
	if c.origin == isCached || c.origin == isOld {
		c.inUse = c.token.Hash
	}
	text := c.tokenInUse()
	if text == "" {
		return c.evict()
	}
	c.request = c.serviceRequest(text)
	if c.export == input.ListJobs && c.current() {
		c.prepareJobs()
	}
	c.step.Kind, c.step.Request = Send, &c.request
	return stepReturned
}

// serviceRequest is the call's request to the service with a token. If the config has
// become unusable, it has no host, and is good for a log line alone.
func (c *Call) serviceRequest(token string) message.Request {
	service := c.service
	if c.readService() == nil {
		service = c.service
	} else {
		service.BaseURL = "://"
	}
	if c.export == input.ListJobs {
		return jobs.NewRequest(&service, token)
	}
	return jobs.NewOwnRequest(&service, token, &c.in.Request)
}

// serviceAnswered takes the answer of the service. repeatable says that the host can send
// the request again.
func (c *Call) serviceAnswered(a *message.Answer, repeatable bool) Event {
	c.log(a.Status)
	if a.Status == 401 {
		return c.unauthorized(a, repeatable)
	}
	notModified := a.Status == 304 && c.inSteps // whose host sees the status
	if err := jobs.ParseResponse(a, c.secrets); err != nil && !notModified {
		return c.decline(err)
	}
	c.succeeded()
	c.step.Kind = GiveAnswer
	return accepted
}

// needsNoResume reports whether an answer of 2xx changes nothing that is kept.
func (c *Call) needsNoResume() bool {
	if c.token.Rejected {
		return false
	}
	if c.origin == isNew || c.origin == isTaken {
		c.loadRetry()
		return c.retry.Failures == 0
	}
	return true
}

// succeeded ends the back-off that a refused token or a failed request for the
// token in use began. One that began with a failed renewal continues: the old token
// says nothing of the token endpoint.
func (c *Call) succeeded() {
	if c.needsNoResume() {
		return
	}
	rejected := c.token.Rejected
	c.load()
	if c.tokenInUse() == "" || rejected && !c.current() {
		return
	}
	c.host.SetVar(vars.Retry, nil)
	if rejected {
		c.token.Rejected = false
		c.saveToken()
	}
}

// mostRepeats is how often a call repeats its request: the first other token may be of
// another call or instance, and have been revoked with its own.
const mostRepeats = 2

// unauthorized takes a 401: the token may have been revoked, so another is tried.
func (c *Call) unauthorized(a *message.Answer, repeatable bool) Event {
	c.load()
	c.readClock()
	stale := c.stale()
	known := c.tokenInUse() != ""
	if c.origin == isNew && !stale && known {
		return c.reject(a)
	}
	left := c.backoffLeft()
	failure := c.lastFailure(left)
	if !stale && left > 0 && oauth2.ReadFailure(failure).Code != apierror.ServiceUnauthorized {
		return c.declineWith(failure)
	}
	err := jobs.ParseResponse(a, c.secrets) // while the tokens of the call are known
	if stale || left > 0 || c.origin == isNew {
		err.RetryAfter = left
		return c.decline(err)
	}
	repeatable = repeatable && c.repeats < mostRepeats && c.origin != isOld
	c.repeats++
	c.refused = c.inUse
	if c.refused == 0 {
		c.refused = c.token.Hash
	}
	switch {
	case c.current():
		c.dropToken()
	case known:
		c.refuse(c.inUse)
	}
	if !repeatable {
		err.Retryable = true
		err.Message = "the service refused the token, and this request cannot be retried; call again"
		return c.decline(err)
	}
	if c.owner != 0 && c.readClient() == nil && c.owner != c.ownerNow() {
		return c.decline(staleFlow())
	}
	// The call begins anew. A prepared request knows nothing of before, either.
	c.origin, c.inUse, c.awaited, c.waited, c.looks, c.sharing, c.foundFree = isCached, 0, 0, 0, 0, shares, 0
	return unauthorized
}

// reject takes the 401 to a new token: another would fare no better.
func (c *Call) reject(a *message.Answer) Event {
	c.loadRetry()
	c.failure = c.backOff(jobs.ParseResponse(a, c.secrets), "")
	if c.now != 0 {
		if c.sharing == locked && c.readClient() == nil && c.ownerNow() == c.owner {
			return lockToWrite
		}
	}
	return c.declineWith(c.failure)
}
