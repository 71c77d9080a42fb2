package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
	"automatic-rostering.example/rostering/plugin/core/redact"
)

// The waits for the lock, in milliseconds: each twice as long as the one before. The flow continues
// without the store after so many seconds, which is longer than a token request may take, or after
// the sum of its waits, because a clock may stand still.
const (
	firstLockWait   = 50
	longestLockWait = 1000
	maxLockWaits    = 20_000
	maxLocked       = 23
)

// A flow that waits until a backoff ends does so in short pauses, in milliseconds, because its host
// waits up to half as long again. It waits only for a backoff that ends so many seconds after the
// flow began.
const (
	pause     = 250
	maxPaused = 6
)

// startWait notes the length of a wait that begins.
func (f *Flow) startWait() State {
	f.wait = pause
	if f.found == busy {
		f.wait = min(int64(firstLockWait)<<min(f.looks, 8), longestLockWait)
		f.looks++
	}
	f.waited += f.wait
	return Waiting
}

const (
	// lockTTL is how long the lock of a process that died makes the others wait, doneTTL how
	// long the others see that a token request has ended, and minFailedTTL how long they see
	// at least that it has failed, in seconds.
	lockTTL      = 10
	doneTTL      = 1
	minFailedTTL = 3
	// late is how much longer than its backoff a failure may be there, in seconds.
	late = 2
	// longestShared is how long the others respect a Retry-After, in seconds.
	longestShared = 60
)

// written returns what the step sets, or adds, and for how many seconds.
func (f *Flow) written() (value string, ttl int64) {
	switch f.state {
	case WritingToken:
		return f.stored(), max(f.instance.Token.ExpiresAt-f.now, 1)
	case TakingLock:
		return oauth2.Requesting, lockTTL
	}
	left := f.left()
	switch {
	case left == 0 || f.locked != f.secretMark(): // the failure is not one of this lock's secret
		return oauth2.Done, doneTTL
	case f.retry.Told:
		left = min(left, longestShared)
	default:
		left = (left + 1) / 2 // the others ask first: this instance may be the only one that fails
	}
	return oauth2.ReadFailure(f.retry.Error).Value(f.now, left, max(f.retry.Failures, 1)), max(left, minFailedTTL)
}

// lockKey returns the key of the lock: the one that the flow holds, or that of its secret. Instances
// with another secret have another lock, so that a rejected secret stops those alone that have it.
func (f *Flow) lockKey() string {
	mark := f.locked
	if mark == 0 {
		mark = f.secretMark()
	}
	return f.key + ":lock:" + ascii.Int(mark)
}

// secretMark returns a number that changes with the secret and does not identify it: one in
// 32,749 secrets has the same. That is a prime, so every bit of the hash counts.
func (f *Flow) secretMark() int64 { return instance.Hash(f.config.Secret)%32749 + 1 }

// markSecret notes that a backoff is because of the secret, and ends with it.
func (f *Flow) markSecret(err *apierror.Error) {
	if err.Code == apierror.TokenEndpointRejected {
		f.retry.Secret = f.secretMark()
	}
}

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
	switch known := h == s.Token.Hash || h == f.refused || s.Refuses(h); {
	case known && (!newer || requested != t.RequestedAt): // it was not requested again
		return
	case !newer && f.usable(&s.Token):
		return
	}
	f.pardon(h)
	adopted := f.known(h, requested, t.ExpiresAt)
	if s.Token.Hash == 0 || s.NextPatience > 0 || s.Stayed == s.Token.Hash { // it is in trouble, too
		adopted.Patience = min(t.Patience, instance.MostPatience)
	}
	f.keep(t.AccessToken, adopted)
	f.endBackoff()
}

// known returns what is known about a token that another instance requested.
func (f *Flow) known(hash, requestedAt, expiresAt int64) *instance.Token {
	expiresAt = min(expiresAt, f.now+instance.MaxLifetime)
	return &instance.Token{Hash: hash, RequestedAt: requestedAt, ExpiresAt: expiresAt, Margin: f.margin(expiresAt - requestedAt)}
}

// lockRead processes the value of the lock, which another instance holds or held.
func (f *Flow) lockRead(r *input.Resume) {
	lock := oauth2.ParseLock(r.Value)
	switch {
	case f.store == storeFailed:
	case lock.Failed && f.stale(lock):
		f.store = withoutLock
	case lock.Failed:
		f.adopt(lock)
	case f.waited >= maxLockWaits || f.now >= f.began+maxLocked:
		f.store = storeFailed
	case (r.ValueNull || lock.Done) && f.free == 0:
		f.free, f.found = 1, nothing
	default:
		f.free, f.found = 0, busy
	}
}

// stale reports whether a failure is in the store for longer than its backoff, by this instance's
// own clock: then the store expires nothing.
func (f *Flow) stale(lock *oauth2.Lock) bool {
	s, failure := f.instance, int64(lock.Failures)<<40+lock.Until
	if s.Failure != failure || s.SeenAt > f.now {
		s.Failure, s.SeenAt = failure, f.now
		f.save()
	}
	return f.now > s.SeenAt+lock.Wait+late
}

// adopt makes a failure in the store this instance's. Another one's clock may differ. The instance's
// own failure keeps its error, of which the store has less.
func (f *Flow) adopt(lock *oauth2.Lock) {
	err, members := lock.Error(), f.retry.Error
	if lock.Failure != *oauth2.ReadFailure(members) {
		err.Message += " (seen by another instance)"
		members = err.Members()
	}
	f.retry = &backoff.Record{
		Since: f.now, Wait: max(f.untilExpiry(min(lock.Until-f.now, lock.Wait)), f.left()),
		Failures: max(lock.Failures, f.retry.Failures), Warned: f.retry.Warned, Error: members,
	}
	f.markSecret(err)
	f.SetBackoff(f.retry)
	f.fail(err)
	f.err = nil // the backoff has it
}

// beforeExpiry is how long before the token in use expires a backoff ends, in seconds: a token
// request takes that long.
const beforeExpiry = 2

// untilExpiry returns a wait that ends before the token in use expires, or then, unless it is
// one that a server may have requested.
func (f *Flow) untilExpiry(wait int64) int64 {
	wait = max(wait, 1)
	if t := &f.instance.Token; wait <= backoff.MaxOwnWait && f.instance.Usable(t, f.now) {
		left := t.ExpiresAt - f.now
		if left > beforeExpiry {
			left -= beforeExpiry
		}
		wait = min(wait, left)
	}
	return wait
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

// minuteSince reports whether something was last logged a minute ago, and notes that it is now.
func (f *Flow) minuteSince(last *int64) bool {
	if f.now >= *last && f.now < *last+60 {
		return false
	}
	*last = f.now
	return true
}
