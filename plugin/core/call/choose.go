package call

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
)

// choose decides where the token comes from, by what the instance and the call know now.
func (c *Call) choose() Event {
	if c.now == 0 {
		c.sharing = without
	}
	switch {
	case c.origin == isNew:
		return c.useOwn()
	case c.failure == nil && !c.in.Force && c.ready():
		c.endPending()
		return tokenReady
	}
	err := c.validateConfig()
	if err != nil {
		return c.decline(err)
	}
	if c.failure == nil {
		on := c.obtain()
		if c.failure == nil {
			return on
		}
	}
	return c.useOld()
}

// validateConfig validates all config that the whole call needs, before a step is returned. A
// call with a valid token needs no client: then an invalid one is a failed renewal.
func (c *Call) validateConfig() *apierror.Error {
	if c.export != input.GetToken {
		err := c.readService()
		if err != nil {
			c.endPending()
			return err
		}
	}
	err := c.readClient()
	if err != nil {
		c.failure = err.AppendJSON(nil)
		return nil
	}
	if c.owner == 0 {
		c.owner = c.ownerNow()
	}
	return nil
}

// useOld continues with the cached token if it is valid: the call can get no other.
func (c *Call) useOld() Event {
	c.endPending()
	if !c.valid() {
		return c.declineWith(c.failure)
	}
	c.host.Log(Warn, "the token could not be renewed; the old one, still valid, is used")
	return tokenReady
}

// obtain begins to obtain a token, or waits for a call that does. If it can do neither, it
// sets the call's failure.
func (c *Call) obtain() Event {
	valid := c.valid()
	calls := c.readCalls()
	if c.othersPending(calls) && !c.in.Force {
		return c.joinPending(calls, valid)
	}
	left := c.backoffLeft()
	if c.awaited != 0 && !valid && int64(c.retry.Call) == c.awaited {
		c.failure = c.lastFailure(max(left, 1)) // that of the request for which it waited
		return declined
	}
	switch {
	case left == 0 && valid && c.renews && 3*(c.token.ExpiresAt()-c.now) >= c.margin(c.token.Lifetime):
		c.renew = true
		return tokenReady
	case left == 0:
		c.becomePending(calls)
	case c.withoutStore() || valid || c.in.Force || calls.LookedAt >= c.now && calls.LookedAt <= c.now+clock.Tolerance:
		c.failure = c.lastFailure(left)
		return declined
	default: // a check of the store during a backoff, for which no call waits
		calls.LookedAt, c.own = c.now, 0
		c.stepped(calls, 0)
	}
	switch {
	case c.withoutStore():
		return requestToken
	case c.in.Force:
		return takeLock
	}
	return lookInStore
}

// useOwn continues with the token that the call requested, whatever happened to it while it
// was written to the store.
func (c *Call) useOwn() Event {
	switch {
	case c.failure != nil: // the service refused it
		return c.declineWith(c.failure)
	case c.readCalls().Refuses(c.inUse):
		return c.reject(&message.Response{Status: 401})
	case c.tokenInUse() != "":
	case !c.ready():
		return c.decline(notKept())
	default:
		c.origin, c.inUse = isOld, 0
	}
	return tokenReady
}

// ready reports whether there is a token that can be used without a renewal.
func (c *Call) ready() bool { return c.usable() && c.needsNoRenewal() }

// usable reports whether a token is cached, and the service did not refuse it in this call.
func (c *Call) usable() bool {
	return c.cached && (c.refused == 0 || c.token.Hash != c.refused)
}

// needsNoRenewal reports whether the cached token is not to be renewed yet. Without a clock none is.
func (c *Call) needsNoRenewal() bool {
	if !c.token.ExpiryKnown() {
		return c.export != input.GetToken // which returns the expiry
	}
	return c.now < c.token.RenewAt()
}

// valid reports whether there is a token that can be used if the call gets no other.
func (c *Call) valid() bool {
	return !c.in.Force && c.usable() && (c.needsNoRenewal() || c.now < c.token.ExpiresAt())
}

// justObtained is how long a replacement counts as new, in seconds: if the service refuses
// it, it would refuse another one too.
const justObtained = 60

// dropRefused treats the input's refused token as a 401 to it. It reports whether the call
// continues.
func (c *Call) dropRefused() bool {
	c.refused = hash(c.in.Refused)
	switch {
	case !c.cached || c.token.Hash != c.refused || c.backoffLeft() > 0:
	case c.token.Replacement && c.now < c.token.AskedAt+justObtained:
		c.reject(&message.Response{Status: 401})
		return false
	default:
		c.dropToken()
	}
	return true
}

func (c *Call) readClient() (err *apierror.Error) {
	c.client, err = config.ReadClient(c.host.Config)
	return err
}

// readService reads the config of the service, once in a step.
func (c *Call) readService() (err *apierror.Error) {
	if c.service.BaseURL == "" {
		c.service, err = config.ReadService(c.host.Config, &c.in)
	}
	return err
}

// ownerNow returns a number for the client and the time between two clear_tokens, so that a
// token requested for them is not used for others.
func (c *Call) ownerNow() int64 {
	return ownerOf(&c.client, c.token.Epoch)
}
