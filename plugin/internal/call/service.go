package call

import (
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/jobs"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/state"
)

// sendToService sends the request to the service: the prepared one if it fits, else one
// that is prepared for the next calls too. A caller's own request is not prepared.
func (c *Call) sendToService() Event {
	if c.refused != 0 {
		c.host.Log(Warn, "the service refused the token; the request is repeated with another one")
	}
	if c.state == UsingCached && c.usePrepared() {
		return handedOut
	}
	if err := c.readService(); err != nil {
		return c.decline(err)
	}
	text := c.accessToken()
	if text == "" {
		return c.evict()
	}
	c.inUse = c.token.Generation
	c.request = c.serviceRequest(text)
	if c.export == input.ListJobs {
		c.prepareJobs()
	}
	c.step.Kind, c.step.Request = Send, &c.request
	return handedOut
}

// serviceRequest is the call's request to the service with a token. Where the config has
// become unusable it has no host, and is good for a log line alone.
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

func (c *Call) serviceAnswered(a *message.Answer) Event {
	c.log(a.Status)
	if a.Status == 401 {
		return c.unauthorized(a)
	}
	if err := jobs.ParseResponse(a, c.secrets); err != nil {
		return c.decline(err)
	}
	c.succeeded()
	c.step.Kind = GiveAnswer
	return accepted
}

// changesNothing reports whether an answer of 2xx changes nothing that is kept.
func (c *Call) changesNothing() bool {
	if c.token.Rejected {
		return false
	}
	if c.state == UsingNew || c.state == UsingTaken {
		c.loadRetry()
		return c.retry.Failures == 0
	}
	return true
}

// succeeded ends the back-off that a refused token or a failed request for the
// token in use began. One that began with a failed renewal goes on: the old token
// says nothing of the token endpoint.
func (c *Call) succeeded() {
	if c.changesNothing() {
		return
	}
	rejected := c.token.Rejected
	if c.load(); c.stale() || rejected && !c.current() {
		return
	}
	c.host.SetVar(state.Retry, nil)
	if rejected {
		c.token.Rejected = false
		c.saveToken()
	}
}

// unauthorized takes a 401: the token may have been revoked, so another is tried, once.
func (c *Call) unauthorized(a *message.Answer) Event {
	c.load()
	c.readClock()
	if c.state == UsingNew && !c.stale() {
		return c.reject(a)
	}
	left := c.wait()
	if c.state == UsingNew || c.state == UsingOld || c.refused != 0 || left > 0 || c.stale() {
		err := jobs.ParseResponse(a, c.secrets)
		err.RetryAfter = left
		return c.decline(err)
	}
	c.refused = max(hash(c.tokenInUse()), 1) // 1 for one that is not known any more
	if c.current() {
		c.dropToken()
	}
	c.note, c.waits, c.foundFree = 0, 0, false
	return unauthorized
}

// reject takes the 401 that met a new token: another would fare no better.
func (c *Call) reject(a *message.Answer) Event {
	c.declineWith(c.backOff(jobs.ParseResponse(a, c.secrets), ""))
	if c.now == 0 {
		return declined
	}
	if c.current() {
		c.token.Rejected = true
		c.saveToken()
	}
	if c.sharing == locked && c.readClient() == nil && c.ownerNow() == c.owner {
		return lockToWrite
	}
	return declined
}
