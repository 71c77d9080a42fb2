package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
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
		return host.Fail(apierror.Mismatch("the token's cache_key is that of another client"))
	case in.ExpiresAt <= f.now:
		return host.Fail(apierror.Mismatch("the token has expired"))
	}
	f.force = 1 // the token before is forgotten
	t := f.newToken(in.AccessToken, f.now, in.ExpiresAt)
	t.Patience = instance.NoPatience
	f.instance.Forgive(t.Hash)
	if current := f.instance.Token; current.Hash == t.Hash && current.ExpiresAt != 0 {
		if f.now == 0 {
			t = &current
		} else {
			t.RequestedAt = min(current.RequestedAt, f.now) // the clock may have been set back
			t.Stamp = current.Stamp
		}
	}
	f.keep(in.AccessToken, t)
	return host.Result{}
}

// ClearToken implements the export clear_token: it forgets all tokens and the backoff.
func ClearToken(h host.Host, rawInput []byte) host.Result {
	if err := input.Nothing(rawInput); err != nil {
		return host.Fail(err)
	}
	f := New(h, 0)
	f.instance.Clear()
	f.save()
	for _, name := range instance.All {
		h.SetVar(name, nil)
	}
	return host.Result{}
}
