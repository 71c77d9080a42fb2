package call

import "automatic-rostering/plugin/internal/state"

// tokenInUse returns the token in the request to the service, or "" if it is not known
// any more.
func (c *Call) tokenInUse() string {
	if c.current() {
		return c.accessToken()
	}
	if old := c.previous(); old.Generation == c.inUse {
		return old.Text
	}
	return ""
}

func (c *Call) previous() state.Replaced {
	return state.DecodeReplaced(c.host.Var(state.Previous))
}

// nothingKnown hides a text from others as a whole: as a secret it is too short to be
// searched for.
var nothingKnown = []string{"?"}

// secrets is what must not stand in an error: the client's secret and every token of
// this call. Where one of them is not known any more, nothing of a text may be shown.
func (c *Call) secrets() []string {
	if !c.knowsTokens() {
		return nothingKnown
	}
	return []string{c.host.Config("client_secret"), c.accessToken(), c.previous().Text, c.in.Refused}
}

// knowsTokens reports whether the tokens of this call are still known.
func (c *Call) knowsTokens() bool {
	if c.stale() || c.state.using() && c.inUse != 0 && c.tokenInUse() == "" {
		return false
	}
	return c.refused == 0 || c.in.Refused != "" ||
		c.refused == hash(c.accessToken()) || c.refused == hash(c.previous().Text)
}

// stale reports whether the call began before a clear_token, or as another client.
func (c *Call) stale() bool { return c.owner != 0 && c.state.using() && c.owner != c.token.Owner }
