package call

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/jobs"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/vars"
)

// sendToService sends the request to the service: the prepared one if it fits, otherwise a new
// one, which is also prepared for the next calls unless it is a custom request.
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

// serviceRequest returns the call's request to the service with a token. If the config has
// become invalid, the request has no host and serves only for a log line.
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

// serviceResponded processes the response of the service. repeatable says that the host can
// send the request again.
func (c *Call) serviceResponded(r *message.Response, repeatable bool) Event {
	c.log(r.Status)
	if r.Status == 401 {
		return c.unauthorized(r, repeatable)
	}
	notModified := r.Status == 304 && c.inSteps // such a host sees the status
	if err := jobs.ParseResponse(r, c.secrets); err != nil && !notModified {
		return c.decline(err)
	}
	c.succeeded()
	c.step.Kind = GiveResponse
	return accepted
}

// needsNoResume reports whether a 2xx changes nothing that the plugin keeps.
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

// succeeded ends the backoff, unless it began with a failed renewal of the token in use: an
// old token says nothing about the token endpoint.
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

// mostRetries is how often a call retries its request: the first other token may come from
// another call or instance, and have been revoked too.
const mostRetries = 2

// unauthorized processes a 401: the token may have been revoked, so another one is tried.
func (c *Call) unauthorized(r *message.Response, repeatable bool) Event {
	c.load()
	c.readClock()
	stale := c.stale()
	known := c.tokenInUse() != ""
	if c.origin == isNew && !stale && known {
		return c.reject(r)
	}
	left := c.backoffLeft()
	failure := c.lastFailure(left)
	if !stale && left > 0 && oauth2.ReadFailure(failure).Code != apierror.ServiceUnauthorized {
		return c.declineWith(failure)
	}
	err := jobs.ParseResponse(r, c.secrets) // while the tokens of the call are known
	if stale || left > 0 || c.origin == isNew {
		err.RetryAfter = left
		return c.decline(err)
	}
	repeatable = repeatable && c.retries < mostRetries && c.origin != isOld
	c.retries++
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
	if c.owner != 0 {
		if err := c.sameClient(); err != nil {
			return c.decline(err)
		}
	}
	c.reset()
	return unauthorized
}

// reset has the call begin anew. A prepared request knows nothing of what was before, either.
func (p *progress) reset() {
	p.origin, p.inUse, p.awaited, p.waited, p.looks, p.sharing, p.foundFree = isCached, 0, 0, 0, 0, shares, 0
}

// reject processes a 401 to a new token: the service would refuse another one too.
func (c *Call) reject(r *message.Response) Event {
	c.loadRetry()
	c.failure = c.backOff(jobs.ParseResponse(r, c.secrets), "")
	if c.now != 0 {
		if c.sharing == locked && c.readClient() == nil && c.ownerNow() == c.owner {
			return lockToWrite
		}
	}
	return c.declineWith(c.failure)
}
