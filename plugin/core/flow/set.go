package flow

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/instance"
	"automatic-rostering/plugin/core/oauth2"
)

// SetToken implements the export set_token: it caches a token that get_token returned, on
// this or another instance.
func SetToken(h host.Host, rawInput []byte) host.Result {
	in, err := input.ParseToken(rawInput)
	if err != nil {
		return host.Fail(err)
	}
	f := New(h, clock.Now(h, &in.Override))
	if err = f.readClient(); err != nil {
		return host.Fail(err)
	}
	switch {
	case in.CacheKey != f.key:
		return host.Fail(apierror.Mismatch("the token is for another client_id, scope or auth_url"))
	case in.ExpiresAt <= f.now:
		return host.Fail(apierror.Mismatch("the token has expired"))
	}
	f.force = 1 // the token before is forgotten
	t := &instance.Token{Hash: hash(in.AccessToken)}
	if f.now != 0 {
		t = f.known(t.Hash, f.now, in.ExpiresAt)
	}
	f.instance.Forgive(t.Hash)
	current := &f.instance.Token
	if current.Hash == t.Hash && (f.now == 0 || current.ExpiresAt != 0) {
		f.extend(in.AccessToken, t)
	} else {
		f.keep(in.AccessToken, t)
	}
	return host.Result{}
}

// extend sets the expiry of the instance's token, and forgets the one before it.
func (f *Flow) extend(text string, t *instance.Token) {
	current := &f.instance.Token
	f.instance.Previous = instance.Token{}
	if f.now != 0 {
		t.RequestedAt = min(current.RequestedAt, f.now) // the clock may have been set back
		*current = *t
		f.host.SetVar(instance.TokenObject, oauth2.TokenObject(text, t.ExpiresAt, f.key))
	}
	f.save()
	f.host.SetVar(instance.Previous, nil)
}

// ClearToken implements the export clear_token: it forgets all tokens and the backoff.
func ClearToken(h host.Host, rawInput []byte) host.Result {
	if err := input.Nothing(rawInput); err != nil {
		return host.Fail(err)
	}
	f := New(h, 0)
	f.instance = &instance.State{Clears: f.instance.Clears + 1, Counts: f.instance.Counts}
	f.save()
	for _, name := range instance.All {
		h.SetVar(name, nil)
	}
	return host.Result{}
}
