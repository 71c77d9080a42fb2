package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

// overlap is how long the token before a renewed one is used at least, in seconds.
const overlap = 5

// refusedLately is how long a refusal makes the next token the only one, in seconds.
const refusedLately = 10

// refuse processes a token that the service refused. used says that it accepted it before.
func (f *Flow) refuse(text string, used bool) {
	f.refused = instance.Hash(text)
	s := f.instance
	s.CountRefused(f.refused)
	defer f.save()
	t, before := &s.Token, &s.Previous
	bothRefused := f.refused == before.Hash && s.Overlaps > 0 && f.now < before.ExpiresAt-overlap
	switch {
	case f.refused == t.Hash && s.Usable(before, f.now):
		// The service may learn of it later: until then, the token before it is used.
		s.UseFrom = f.now + max(f.now-t.RequestedAt, overlap)
		s.Overlaps++
		return
	case bothRefused:
		s.Replace(f.now)
		s.Refuse(t.Hash)
	case f.refused == before.Hash:
		// The renewed one may work.
	case f.left() > 0:
		if f.refused == t.Hash {
			s.RefusedAt = f.now
		}
		return // the token stays, for the calls that do not refuse it
	case f.now != 0 && f.refused == t.Hash && s.Usable(t, f.now):
		if s.RefusedAt = f.now; s.Refusal(f.now, used) {
			f.fail(backoff.Failed(apierror.ServiceUnauthorized, 401).Error())
			return
		}
		s.Replace(f.now)
	}
	s.RefusedAt = f.now
	s.Refuse(f.refused)
}

// responded processes the response to the token request.
func (f *Flow) responded(r *message.Response) State {
	text, lifetime, err := oauth2.ParseTokenResponse(r, f.secrets)
	changed := f.mark != f.secretMark() // meanwhile: then the error may show the secret before
	switch {
	case err != nil && changed && err.Code == apierror.TokenEndpointRejected:
		f.countFailed()
		f.found = nothing
		return Choosing
	case err != nil:
		if changed {
			err = failureOf(err).Error()
		}
		f.requestFailed(err, backoff.RetryAfter(r.RetryAfter, r.Date, f.now))
		return Choosing
	}
	f.asked = obtained
	requested := min(f.at, f.now)
	t := f.newToken(text, requested, max(requested+lifetime, f.now+1))
	t.Patience = f.instance.NextPatience
	f.pardon(t.Hash)
	f.keep(text, t)
	if f.instance.Token.Hash == 0 {
		f.countFailed() // the host did not keep it
		return Choosing
	}
	f.endBackoff()
	if f.shares() {
		return WritingToken
	}
	return Choosing
}

// pardon makes a token usable that was refused.
func (f *Flow) pardon(hash int64) {
	f.instance.Forgive(hash)
	if f.refused == hash {
		f.refused = 0
	}
}

// keep makes a token the instance's. Without force, the one before it is used for some seconds
// more. A host without room for a var ends the call, or keeps the old value. So the summary is
// written before and after the rest, a call that is cut off counts as a failure, and vars are
// removed before they are set.
func (f *Flow) keep(text string, t *instance.Token) {
	s := f.instance
	old := s.Token
	var previous []byte
	if f.force == 0 && f.now != 0 && old.Hash != t.Hash && s.Usable(&old, f.now) && f.now > s.RefusedAt+refusedLately {
		previous = f.host.Var(instance.TokenObject)
	}
	s.Token, s.Previous, s.Prepared = instance.Token{}, instance.Token{}, false
	s.UseFrom, s.Overlaps, s.NextPatience = f.now+overlap, 0, 0
	for _, name := range [...]string{instance.JobsRequest, instance.Previous, instance.TokenObject} {
		f.host.SetVar(name, nil)
	}
	before := f.expect(f.notKept())
	if previous != nil {
		f.host.SetVar(instance.Previous, previous)
		s.Previous = old
	}
	f.host.SetVar(instance.TokenObject, oauth2.TokenObject(text, t.ExpiresAt, f.key))
	if f.host.Hold(instance.TokenObject) {
		s.Token = *t
	}
	if s.Token.Hash != 0 {
		f.setBackoff(before.Record, before.members)
	} else {
		f.save()
	}
	f.offer()
}

// secrets returns what must not be in an error.
func (f *Flow) secrets() []string {
	return []string{f.config.Secret, oauth2.AccessToken(f.host.Var(instance.TokenObject)), oauth2.AccessToken(f.host.Var(instance.Previous))}
}
