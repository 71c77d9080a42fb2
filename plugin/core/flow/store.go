package flow

import (
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
	"automatic-rostering.example/rostering/plugin/core/redact"
)

// stored returns the value of the token in the store, or "" if the host lost the token.
func (f *Flow) stored() string {
	object := f.host.Var(instance.TokenObject)
	if len(object) == 0 {
		return ""
	}
	return oauth2.StoredToken(object, f.instance.Token.RequestedAt, f.instance.Token.Patience)
}

// tokenRead processes the store's token.
func (f *Flow) tokenRead(value string) {
	f.found = tokenRead
	t, ok := input.ParseStoredToken(value)
	if !ok || t.CacheKey != f.key || t.ExpiresAt <= f.now {
		return
	}
	s, h, requested := f.instance, instance.Hash(t.AccessToken), min(t.RequestedAt, f.now)
	newer := s.Token.Hash != 0 && requested > s.Token.RequestedAt
	again := s.Token.Hash != 0 && t.RequestedAt > s.Token.Stamp && t.RequestedAt <= f.now
	switch known := h == s.Token.Hash || h == f.refused || s.Refuses(h); {
	case known && !again:
		return
	case !newer && f.usable(&s.Token):
		return
	}
	f.pardon(h)
	adopted := f.newToken(t.AccessToken, requested, t.ExpiresAt)
	adopted.Stamp = t.RequestedAt
	if s.Token.Hash == 0 || s.NextPatience > 0 || s.Stayed == s.Token.Hash { // it is in trouble, too
		adopted.Patience = min(t.Patience, instance.MostPatience)
	}
	f.keep(t.AccessToken, adopted)
	f.endBackoff()
}

// storeFailed has the flow continue without the store, and logs why, at most once a minute.
func (f *Flow) storeFailed(why string) {
	c := &f.instance.Counts
	c.StoreFailures++
	if f.minuteSince(&c.StoreWarnedAt) {
		f.host.Log(host.Warn, "the token store's "+f.state.operation()+
			" failed; calls continue, but the token is not shared (logged once a minute): "+redact.Text(why, f.secrets()))
	}
	f.save()
	f.store, f.locked = storeFailed, 0
}
