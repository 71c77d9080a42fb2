package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/state"
)

// SetToken is the export set_token: it takes a token that get_token gave, here or on
// another instance.
func SetToken(host Host, rawInput []byte) Step {
	t, err := input.ParseToken(rawInput)
	if err != nil {
		return fail(err)
	}
	f := New(host, input.GetToken)
	f.in.Clock = t.Clock
	if f.client, err = config.ReadClient(host.Config); err != nil {
		return fail(err)
	}
	if t.CacheKey != oauth2.CacheKey(&f.client) {
		return fail(apierror.Mismatch("cache_key is that of another client, scope or token URL, whose token is of no use here"))
	}
	f.load()
	f.readClock()
	lifetime := min(t.ExpiresAt-f.now, state.MaxLifetime)
	if lifetime <= 0 {
		return fail(apierror.Mismatch("the token has expired; ask for a new one with get_token"))
	}
	known := f.now == 0 || f.token.ExpiresAt() == f.now+lifetime
	if !f.cached || !known || f.accessToken() != t.AccessToken {
		f.keepToken(t.AccessToken, lifetime)
	}
	return Step{Kind: Give}
}

// ClearToken is the export clear_token: it forgets the token and all that came of it.
func ClearToken(host Host, rawInput []byte) Step {
	if err := input.Nothing(rawInput); err != nil {
		return fail(err)
	}
	f := New(host, input.GetToken)
	f.load()
	f.dropToken()
	for _, name := range []string{state.Retry, state.JobsIDs, state.LogLine} {
		host.SetVar(name, nil)
	}
	return Step{Kind: Give}
}
