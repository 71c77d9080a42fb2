package call

import (
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/vars"
)

// tokenInUse returns the token in the request to the service, or "" if it is no longer
// known, or never was on this instance.
func (c *Call) tokenInUse() string {
	if c.current() {
		return c.accessToken()
	}
	if old := c.previous(); hash(old) == c.inUse {
		return old
	}
	return ""
}

// previous returns the token before the cached one, or "".
func (c *Call) previous() string { return oauth2.AccessToken(c.host.Var(vars.Previous)) }

// nothingKnown redacts a whole string from outside: this secret is too short to be searched
// for.
var nothingKnown = []string{"?"}

// secrets returns what must not be in an error: the client's secret and every token of this
// call. If one of them is no longer known, nothing from outside may be shown.
func (c *Call) secrets() []string {
	if !c.knowsTokens() {
		return nothingKnown
	}
	return []string{c.host.Config("client_secret"), c.accessToken(), c.previous(), c.in.Refused}
}

// knowsTokens reports whether the tokens of this call are still known.
func (c *Call) knowsTokens() bool {
	if c.retries == mostRetries || c.state == UsingToken && (c.stale() || c.tokenInUse() == "") {
		return false // two tokens are kept, and this call had three
	}
	return c.refused == 0 || c.in.Refused != "" || c.refused == c.token.Hash || c.refused == hash(c.previous())
}

// stale reports whether the request to the service was sent before a clear_token, or as
// another client.
func (c *Call) stale() bool {
	return c.inSteps && c.owner != int64(c.token.Owner)
}
