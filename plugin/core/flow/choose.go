package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

// choose decides what to do next, by what the instance and the flow know now. Every result
// of a step leads back here, so it is also the last look before a token request.
func (f *Flow) choose() State {
	f.offer()
	left := f.left()
	usable := f.Object != nil && (f.force == 0 || f.asked == obtained)
	mayNotAsk := f.asked != notAsked || left > 0 || f.found == busy // it did, a backoff, another one does
	enough := usable && (mayNotAsk || !f.due())
	if enough && f.locked == 0 {
		return Ended
	}
	if err := f.readClient(); err != nil {
		if !usable {
			f.err, f.Failed = err, true
		}
		return Ended
	}
	if enough || f.asked != notAsked || left > 0 {
		return f.end(enough, left)
	}
	f.mark = f.secretMark()
	switch {
	case f.locked != 0 && f.locked != f.mark:
		return WritingLock // of the secret before
	case !f.shares() || f.locked != 0:
	case f.found == nothing && f.force == 0:
		return ReadingToken
	case f.store == withoutLock:
	case f.found == nothing, f.found == tokenRead:
		return TakingLock
	case f.found == held && f.force == 0:
		return ReadingLock
	case f.found == busy:
		return f.startWait()
	}
	f.Request = oauth2.NewTokenRequest(f.config)
	f.instance.TokenRequests++
	f.save()
	return Requesting
}

// end ends the flow, once the lock that it holds shows that, and the store has no token. An
// error whose backoff is short becomes a wait.
func (f *Flow) end(enough bool, left int64) State {
	switch {
	case f.locked != 0:
		return WritingLock
	case enough:
		return Ended
	case f.shares() && f.force == 0 && f.found != tokenRead && f.instance.LookedAt != f.now:
		f.instance.LookedAt = f.now // once a second
		f.save()
		return ReadingToken
	case f.waitsOut(left):
		return f.startWait()
	}
	f.Failed = true
	return Ended
}

// waitsOut reports whether the flow waits until the backoff ends. It does not if the secret was
// rejected, or while others have a token, such as one that stays although its caller refused it.
func (f *Flow) waitsOut(left int64) bool {
	rejected := f.failure.Name() == apierror.TokenEndpointRejected || f.retry.Secret != 0
	endsSoon := f.now+left <= f.began+maxPaused && f.waited+left*1000 <= maxPaused*1000
	othersHaveOne := f.force == 0 && f.instance.Usable(&f.instance.Token, f.now)
	return f.mayPause != 0 && f.asked != obtained && endsSoon && !rejected && !othersHaveOne
}

// offer finds the token that the step has: for some time after a renewal, the one before.
func (f *Flow) offer() {
	s := f.instance
	f.Object = nil
	if f.now != 0 && f.now < s.UseFrom {
		f.offerIf(&s.Previous, instance.Previous)
	}
	if f.Object == nil {
		f.offerIf(&s.Token, instance.TokenObject)
	}
	if f.Object == nil && f.now != 0 { // the renewed one expires sooner
		f.offerIf(&s.Previous, instance.Previous)
	}
}

func (f *Flow) offerIf(t *instance.Token, name string) {
	if !f.usable(t) {
		return
	}
	f.Object, f.offered = f.host.Var(name), t
	if f.Object == nil { // the host did not keep it
		*t = instance.Token{}
		f.save()
	}
}

// usable reports whether the flow may use a token. Without a clock it may until a 401.
func (f *Flow) usable(t *instance.Token) bool {
	if t.Hash == f.refused {
		return false // also if both are 0
	}
	return t.Hash != 0 && (f.now == 0 && !f.instance.Refuses(t.Hash) || f.instance.Usable(t, f.now))
}

func (f *Flow) readClient() *apierror.Error {
	if f.config == nil {
		client, err := config.ReadClient(f.host.Config)
		if err != nil {
			return err
		}
		f.config, f.key = client, oauth2.CacheKey(client)
		f.client = instance.Hash(f.key)
	}
	return nil
}
