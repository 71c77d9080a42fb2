package call

import (
	"strconv"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/release"
	"automatic-rostering/plugin/core/vars"
)

// SetToken implements the export set_token: it caches a token that get_token returned, on
// this or another instance.
func SetToken(host Host, rawInput []byte) *Step {
	t, err := input.ParseToken(rawInput)
	if err != nil {
		return fail(err)
	}
	c := New(host, input.GetToken)
	c.in.Clock = t.Clock
	if err = c.readClient(); err != nil {
		return fail(err)
	}
	if t.CacheKey != oauth2.CacheKey(&c.client) {
		return fail(apierror.Mismatch("the token is for another client_id, scope or auth_url"))
	}
	c.load()
	c.readClock()
	lifetime := min(t.ExpiresAt-c.now, vars.MaxLifetime)
	if lifetime <= 0 {
		return fail(apierror.Mismatch("the token has expired"))
	}
	// Before the token, after which there may be no room for what calls need to renew it.
	calls := c.readCalls()
	calls.Forgive(hash(t.AccessToken))
	c.writeCalls(calls)
	switch {
	case !c.cached || c.accessToken() != t.AccessToken:
		c.keepToken(t.AccessToken, c.now, lifetime, false)
	case c.now != 0 && c.token.ExpiresAt() != c.now+lifetime:
		c.setLifetime(c.now, lifetime)
		c.token.Replacement = false
		c.keepObject()
		c.saveToken()
	}
	return &Step{Kind: Give}
}

// ClearToken implements the export clear_token: it forgets the token and what depends on it.
func ClearToken(host Host, rawInput []byte) *Step {
	if err := input.Nothing(rawInput); err != nil {
		return fail(err)
	}
	c := New(host, input.GetToken)
	c.load()
	c.token = vars.Token{Epoch: c.token.Epoch + 1, Dropped: true}
	c.saveToken()
	// The numbers of pending calls continue, so that no two calls have the same.
	calls := vars.Calls{Pending: c.readCalls().Pending}
	for _, name := range vars.All {
		host.SetVar(name, nil)
	}
	c.writeCalls(&calls)
	return &Step{Kind: Give}
}

// Check implements the export check: it validates the config.
func Check(host Host, rawInput []byte) *Step {
	err := input.Nothing(rawInput)
	if err == nil {
		err = config.Check(host.Config)
	}
	if err != nil {
		return fail(err)
	}
	return &Step{Kind: Give}
}

// Version implements the export version.
func Version(_ Host, rawInput []byte) *Step {
	if err := input.Nothing(rawInput); err != nil {
		return fail(err)
	}
	return &Step{Kind: Give, Output: []byte(`{"version":"` + release.Version + `","contract":` + strconv.Itoa(release.Contract) + `}`)}
}
