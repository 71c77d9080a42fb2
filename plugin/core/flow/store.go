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

// The waits for the lock, in milliseconds: each twice as long as the one before. After a sum of
// maxLockWaits, which counts because a clock may stand still, the flow continues without the
// store. It is as long as a token request may take.
const (
	firstLockWait   = 50
	longestLockWait = 1000
	maxLockWaits    = 20_000
)

// A flow that waits until a backoff ends does so in short pauses, because its host waits up to
// half as long again. All its waits, with what is left of the backoff, are at most maxPauses, in
// milliseconds.
const (
	pause     = 250
	maxPauses = 5500
)

// wait returns the length of the flow's next wait, in milliseconds.
func (f *Flow) wait() (wait int64) {
	if f.found != busy {
		f.pauses++
		return pause
	}
	wait, _ = lockWait(f.looks)
	f.looks++
	return wait
}

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

// written returns what the step sets, or adds, and for how many seconds.
func (f *Flow) written() (value string, ttl int64) {
	switch f.state {
	case WritingToken:
		return f.stored(), max(f.instance.Token.ExpiresAt-f.now, 1)
	case TakingLock:
		return oauth2.Requesting, lockTTL
	}
	if left := f.left(); left > 0 && !f.retry.Refusal {
		failure := oauth2.ReadFailure(f.retry.Error)
		return failure.Value(f.now, left, max(f.retry.Failures, 1)), max(left, minFailedTTL)
	}
	return oauth2.Done, doneTTL
}

// lockKey returns the key of the lock. Instances with another secret have another lock, so that
// a rejected secret stops those alone that have it.
func (f *Flow) lockKey() string { return f.key + ":lock:" + ascii.Int(f.secretMark()) }

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
	return oauth2.StoredToken(object, f.instance.Token.RequestedAt, f.retry.InSeries(f.now))
}

// tokenRead processes the store's token.
func (f *Flow) tokenRead(value string) {
	f.found = tokenRead
	t, ok := input.ParseStoredToken(value)
	h := instance.Hash(t.AccessToken)
	current := &f.instance.Token
	later := t.RequestedAt > current.RequestedAt && (current.Hash != 0 || h != f.refused) // than the refused one, too
	switch {
	case !ok || t.CacheKey != f.key || t.ExpiresAt <= f.now:
		return
	case !later && (f.usable(current) || h == f.refused || f.instance.Refuses(h)):
		return
	}
	f.joinSeries(t.Series)
	f.pardon(h)
	f.keep(t.AccessToken, f.known(h, min(t.RequestedAt, f.now), t.ExpiresAt))
	f.endBackoff()
}

// joinSeries continues the series of refused tokens in which another instance requested its
// token, if this one is in a series, too, or has just begun: otherwise an instance that often
// restarts would replace each token that is too young.
func (f *Flow) joinSeries(series int64) {
	switch own := f.retry.InSeries(f.now); {
	case series == 0:
	case own != 0:
		f.retry.Series = min(own, series)
	case f.instance.Token.Hash == 0:
		f.continueSeries(1, min(series, f.now))
	}
}

// continueSeries makes the backoff one of refused tokens that is over.
func (f *Flow) continueSeries(failures int, series int64) {
	f.retry = &backoff.Record{Since: f.now, Failures: failures, Refusal: true, Series: series}
}

// known returns what is known about a token that another instance requested.
func (f *Flow) known(hash, requestedAt, expiresAt int64) *instance.Token {
	expiresAt = min(expiresAt, f.now+instance.MaxLifetime)
	return &instance.Token{Hash: hash, RequestedAt: requestedAt, ExpiresAt: expiresAt, Margin: min(f.config.Margin, (expiresAt-requestedAt)/2)}
}

// lockRead processes the value of the lock, which another instance holds or held.
func (f *Flow) lockRead(r *input.Resume) {
	lock := oauth2.ParseLock(r.Value)
	_, awaited := lockWait(f.looks)
	switch {
	case f.store == storeFailed:
	case lock.Failed && lock.Until < f.now-longOver:
		f.store = storeFailed
	case lock.Failed:
		f.adopt(lock)
	case awaited >= maxLockWaits:
		f.store = storeFailed
	case (r.ValueNull || lock.Done) && f.free == 0:
		f.free, f.found = 1, nothing
	default:
		f.free, f.found = 0, busy
	}
}

// adopt makes the failure of another instance, whose clock may differ, this one's.
func (f *Flow) adopt(lock *oauth2.Lock) {
	err := lock.Error()
	err.Message += " (seen by another instance)"
	failures := lock.Failures
	if !f.retry.Refusal {
		failures = max(failures, f.retry.Failures)
	}
	f.retry = &backoff.Record{
		Since: f.now, Wait: max(f.untilExpiry(min(lock.Until-f.now, lock.Wait)), f.left()), Failures: failures,
		Series: f.retry.InSeries(f.now), Warned: f.retry.Warned, Error: err.Members(),
	}
	f.markSecret(err)
	f.SetBackoff(f.retry)
	f.fail(err)
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
