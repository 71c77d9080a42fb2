package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/message"
	"automatic-rostering/plugin/internal/state"
)

// choose decides where the token comes from. All config that the whole call needs is
// judged before anything is handed out.
func (c *Call) choose() Event {
	if c.now == 0 {
		c.sharing = without
	}
	usable := c.usable()
	if usable && !c.in.Force && c.needsNoRenewal() {
		return tokenValid
	}
	if c.export != input.GetToken {
		if err := c.readService(); err != nil {
			return c.decline(err)
		}
	}
	if err := c.readClient(); err != nil {
		c.failure = err.AppendJSON(nil)
		return noToken
	}
	if owner := c.ownerNow(); c.owner == 0 {
		c.owner = owner
	} else if c.owner != owner {
		return c.decline(staleFlow())
	}
	valid := usable && !c.in.Force && c.stillValid()
	note := c.readNote()
	if c.single() && !c.in.Force {
		if on := c.meet(note, valid); on != handedOut {
			return on
		}
	}
	if left := c.wait(); left > 0 {
		c.failure = c.lastFailure(left)
		if c.alone() || valid || c.in.Force || note.LookedAt == c.now {
			return noToken
		}
		note.LookedAt = c.now
	}
	c.takeNote(note)
	switch {
	case c.alone():
		return requestNext
	case c.in.Force:
		return lockFirst
	}
	return storeFirst
}

// meet decides what to do beside another call of this instance that obtains a token, or
// has failed to; handedOut if no other call does.
func (c *Call) meet(note state.Note, valid bool) Event {
	switch {
	case note.Until > c.now && valid:
		return tokenValid
	case note.Until > c.now && (note.ID != c.note || c.waited(callPause) < patience):
		if note.ID != c.note {
			c.note, c.waits = note.ID, 0
		}
		return callPending
	case c.note != 0 && !valid:
		if c.loadRetry(); c.retry.Call == c.note && len(c.retry.Error) > 0 {
			c.failure = c.lastFailure(max(c.wait(), 1))
			return noToken
		}
	}
	return handedOut
}

// single reports whether calls of this instance take care of each other.
func (c *Call) single() bool { return c.accepts != input.AcceptsNothing && c.now != 0 }

// usable reports whether a token is cached that the service did not refuse in this call.
func (c *Call) usable() bool {
	return c.cached && (c.refused == 0 || hash(c.accessToken()) != c.refused)
}

// needsNoRenewal reports whether the cached token is not to be renewed yet.
func (c *Call) needsNoRenewal() bool {
	switch {
	case c.now == 0:
		return true
	case !c.token.ExpiryKnown():
		return c.export != input.GetToken // its caller is told when it expires
	default:
		return c.now < c.token.AskedAt+c.token.RenewAfter
	}
}

// stillValid reports whether the cached token is known to be valid.
func (c *Call) stillValid() bool { return c.now != 0 && c.now < c.token.ExpiresAt() }

// fallBack ends a call for which there is no new token: with the old one while it is
// valid, unless the caller wants a new one.
func (c *Call) fallBack() Event {
	if c.endNote(); c.in.Force || !c.usable() || !c.stillValid() {
		c.declineWith(c.failure)
		return noToken
	}
	c.host.Log(Warn, "the token could not be renewed; the old one, still valid, is used")
	return tokenValid
}

// justObtained is how long a token counts as new, in seconds: if the service refuses it,
// another would fare no better.
const justObtained = 60

// dropRefused takes the token that the caller says the service refused for a 401. It
// reports whether the call goes on.
func (c *Call) dropRefused() bool {
	c.refused = hash(c.in.Refused)
	switch {
	case !c.cached || c.accessToken() != c.in.Refused || c.wait() > 0:
	case c.token.Obtained && c.now < c.token.AskedAt+justObtained:
		c.reject(&message.Answer{Status: 401})
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
