package call

import (
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/state"
)

// glance reads what a warm call needs to know of the cached token.
func (c *Call) glance() {
	first, second, ok := c.host.Words(state.Summary)
	token, valid := state.FromWords(first, second)
	c.setToken(token, ok && valid)
}

// load reads all that is known of the cached token. Other calls of this instance may have
// changed it since the last step.
func (c *Call) load() { c.setToken(state.Decode(c.host.Var(state.Summary))) }

func (c *Call) setToken(token state.Token, ok bool) {
	c.token, c.cached, c.text = state.Token{}, false, ""
	if ok {
		c.token, c.cached = token, !token.Dropped
	}
}

// loadRetry reads the failures so far.
func (c *Call) loadRetry() { c.retry = backoff.Decode(c.host.Var(state.Retry)) }

// current reports, after load, whether the cached token is the one in use.
func (c *Call) current() bool {
	return c.cached && (c.inUse == 0 || c.token.Generation == c.inUse)
}

// keepToken makes a token the cached one. Its lifetime in seconds counts from askedAt;
// that is not believed beyond the present, and not without a clock. The summary is
// written last, so that a call that is cut off on the way leaves nothing behind that does
// not belong together. Vars are removed before they are set: a host that has no room
// left may keep the old value.
func (c *Call) keepToken(text string, askedAt, lifetime int64) {
	old := c.replace()
	c.cached, c.text = true, text
	c.token = state.Token{Generation: old.Generation + 1, Epoch: old.Epoch, Owner: ownerOf(&c.client, old.Epoch)}
	if c.now != 0 {
		askedAt = min(askedAt, c.now)
	}
	if askedAt != 0 {
		c.live(askedAt, lifetime)
	}
	c.keepObject()
	c.saveToken()
}

// live returns the cached token a lifetime.
func (c *Call) live(askedAt, lifetime int64) {
	c.token.AskedAt, c.token.Lifetime = askedAt, lifetime
	c.token.RenewAfter = lifetime - min(c.client.Margin, lifetime/2)
}

func (c *Call) keepObject() {
	c.object = oauth2.AppendToken(nil, c.text, c.token.ExpiresAt(), oauth2.CacheKey(&c.client))
	c.token.StepPrepared = false
	c.host.SetVar(state.TokenObject, nil)
	c.host.SetVar(state.TokenObject, c.object)
}

// replace takes leave of the cached token, which may still be in an answer to come.
func (c *Call) replace() (old state.Token) {
	if text := c.accessToken(); text != "" {
		r := state.Replaced{Generation: c.token.Generation, Text: text}
		c.host.SetVar(state.Previous, nil)
		c.host.SetVar(state.Previous, r.Encode())
	}
	c.host.SetVar(state.JobsRequest, nil)
	c.host.SetVar(state.TokenStep, nil)
	return c.token
}

// dropToken forgets the cached token and what was prepared with it.
func (c *Call) dropToken() {
	old := c.replace()
	c.cached, c.text = false, ""
	c.token = state.Token{Generation: old.Generation, Epoch: old.Epoch, Owner: old.Owner, Dropped: true}
	c.saveToken()
	c.host.SetVar(state.TokenObject, nil)
}

func (c *Call) saveToken() { c.host.SetVar(state.Summary, c.token.Encode()) }

// accessToken returns the cached token, or "".
func (c *Call) accessToken() string {
	if c.text == "" && c.cached {
		c.text = oauth2.AccessToken(c.host.Var(state.TokenObject))
	}
	return c.text
}
