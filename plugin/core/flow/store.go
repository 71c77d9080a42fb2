package flow

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/redact"
	"automatic-rostering/plugin/core/vars"
)

// The waits for the lock, in milliseconds: each twice as long as the one before. After a sum of
// maxLockWaits, which counts because a clock may stand still, the flow continues without the
// store.
const (
	firstLockWait   = 50
	longestLockWait = 1000
	maxLockWaits    = 30_000
	// longWait is the sum of waits after which a token request that has ended is one that
	// began after the flow.
	longWait = 1000
)

// lockWait returns the length of the nth wait for the lock, and the sum of those before it.
func lockWait(n int64) (wait, sum int64) {
	wait = firstLockWait
	for range n {
		sum += wait
		wait = min(2*wait, longestLockWait)
	}
	return wait, sum
}

const (
	// lockTTL is how long the lock of a process that died makes the others wait, doneTTL how
	// long the others see that a token request has ended, and minFailedTTL how long they see
	// at least that it has failed, in seconds.
	lockTTL      = 10
	doneTTL      = 1
	minFailedTTL = 2
	// longOver is how long ago a backoff must have ended to show that the store does not
	// expire its keys, in seconds: longer than clocks differ.
	longOver = 600
)

// op is an operation on the shared store.
type op struct {
	name, key, value string
	ttl              int64 // seconds
}

// operation returns the operation of the step.
func (f *Flow) operation() op {
	switch f.state {
	case ReadingToken:
		return op{name: "get", key: f.key}
	case ReadingLock:
		return op{name: "get", key: f.key + lockSuffix}
	case TakingLock:
		return op{"add", f.key + lockSuffix, oauth2.Requesting, lockTTL}
	case WritingToken:
		return op{"set", f.key, string(f.host.Var(vars.TokenObject)), max(f.vars.Token.ExpiresAt-f.now, 1)}
	}
	if left := f.left(); left > 0 {
		failure := oauth2.ReadFailure(f.retry.Error)
		return op{"set", f.key + lockSuffix, failure.Value(f.now, left, max(f.retry.Failures, 1)), max(left, minFailedTTL)}
	}
	return op{"set", f.key + lockSuffix, oauth2.Done, doneTTL}
}

const lockSuffix = ":lock"

// tokenRead processes the store's token.
func (f *Flow) tokenRead(value string) {
	trust := f.trust != 0
	f.found, f.trust = tokenRead, 0
	t, ok := input.ParseStoredToken(value)
	h := hash(t.AccessToken)
	switch current := &f.vars.Token; {
	case !ok || t.CacheKey != f.key || t.ExpiresAt <= f.now:
		return
	case !trust && (h == f.refused || f.vars.Refuses(h)):
		return
	case f.usable(current) && t.ExpiresAt <= current.ExpiresAt:
		return
	}
	f.pardon(h)
	lifetime := min(t.ExpiresAt-f.now, vars.MaxLifetime)
	token := f.known(h, lifetime)
	if trust {
		token.Fresh = 1
	}
	f.keep(t.AccessToken, token)
	f.endBackoff()
}

// known returns what is known about a token that another instance requested.
func (f *Flow) known(hash, lifetime int64) *vars.Token {
	return &vars.Token{Hash: hash, RequestedAt: f.now, ArrivedAt: f.now, ExpiresAt: f.now + lifetime, Margin: min(f.client.Margin, lifetime/2)}
}

// lockRead processes the value of the lock, which another instance holds or held.
func (f *Flow) lockRead(r *input.Resume) Event {
	lock := oauth2.ParseLock(r.Value)
	_, awaited := lockWait(f.looks)
	switch {
	case f.store == storeFailed:
	case lock.Failed && lock.Until < f.now-longOver:
		f.store = storeFailed
	case lock.Failed && lock.Code == apierror.TokenEndpointRejected && oauth2.ReadFailure(f.retry.Error).Code != lock.Code:
		f.locked = 1 // the secret of the other instance may be another one
	case lock.Failed:
		f.adopt(lock)
	case awaited >= maxLockWaits:
		f.store = storeFailed
	case (r.ValueNull || lock.Done) && f.free == 0:
		f.free, f.found = 1, nothing
		if lock.Done && (f.requesting != 0 || awaited >= longWait) {
			f.trust = 1
		}
	default:
		if lock.Requesting {
			f.requesting = 1
		}
		f.free = 0
		f.offer()
		return lockBusy
	}
	return lockRead
}

// adopt makes the failure of another instance, whose clock may differ, this one's.
func (f *Flow) adopt(lock *oauth2.Lock) {
	err := lock.Error()
	err.Message += " (seen by another instance)"
	next := &backoff.Record{
		Since: f.now, Wait: max(min(lock.Until-f.now, lock.Wait), 1, f.left()),
		Failures: lock.Failures, Refusal: lock.Code == apierror.ServiceUnauthorized, Warned: f.retry.Warned, Error: err.Members(),
	}
	if next.Refusal == f.retry.Refusal {
		next.Failures = max(next.Failures, f.retry.Failures)
	}
	if next.Refusal && f.vars.Refuses(f.vars.Token.Hash) { // as in refuse
		f.vars.Forgive(f.vars.Token.Hash)
		f.save()
	}
	f.SetBackoff(next)
}

// storeFailed has the flow continue without the store, and logs why, at most once a minute.
func (f *Flow) storeFailed(why string) {
	c := &f.vars.Counts
	c.StoreFailures++
	if f.minuteSince(&c.StoreWarnedAt) {
		name := "set"
		switch f.state {
		case ReadingToken, ReadingLock:
			name = "get"
		case TakingLock:
			name = "add"
		}
		f.host.Log(host.Warn, "the token store's "+name+
			" failed; calls continue, but the token is not shared (logged once a minute): "+redact.Text(why, f.secrets()))
	}
	f.save()
	f.store, f.locked = storeFailed, 0
}

// minuteSince reports whether something was last logged a minute ago, and notes that it is now.
func (f *Flow) minuteSince(last *int64) bool {
	if f.now >= *last && f.now < *last+60 {
		return false
	}
	*last = f.now
	return true
}
