package call

import (
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/vars"
)

// The waits for the lock, in milliseconds: each twice as long as the one before. After a sum of
// maxLockWaits, which counts because a clock may stand still, the call continues without the
// store.
const (
	firstLockWait   = 50
	longestLockWait = 1000
	maxLockWaits    = 30_000
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

// awaitLock makes the next wait for the lock the call's step.
func (c *Call) awaitLock() {
	c.stepReturns(waitHoldsIt)
	c.step.Kind = Wait
	c.step.Pause, _ = lockWait(c.looks)
	c.looks++
}

// lockAwaited checks the lock again, unless this instance got a token meanwhile.
func (c *Call) lockAwaited() Event {
	if c.valid() {
		c.endPending()
		return tokenReady
	}
	return waited
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

// storeStep makes an operation on the shared store the call's step.
func (c *Call) storeStep() {
	c.stepReturns(pendingHolds)
	c.step.Kind = Store
	op := &c.step.Op
	op.Name, op.Key = "set", oauth2.CacheKey(&c.client)
	if c.state != ReadingToken && c.state != WritingToken {
		op.Key += ":asking"
	}
	failure := oauth2.ReadFailure(c.failure)
	switch {
	case c.state == ReadingToken || c.state == ReadingLock:
		op.Name = "get"
	case c.state == TakingLock:
		op.Name, op.Value, op.TTL = "add", oauth2.Asking, lockTTL
	case c.failure != nil:
		op.TTL = max(failure.Wait, minFailedTTL)
		op.Value = oauth2.Refused
		if c.state == WritingLock {
			c.loadRetry()
			op.Value = failure.Value(c.now, max(c.retry.Failures, 1))
		}
	case c.state == WritingToken:
		op.Value, op.TTL = string(c.object), c.token.ExpiresAt()-c.now
	default:
		op.Value, op.TTL = oauth2.Done, doneTTL
	}
}

// storeResponded processes the result of an operation on the store.
func (c *Call) storeResponded(r *input.Resume) Event {
	if r.Given == input.GivenFailed || c.now == 0 {
		c.sharing = without
	}
	switch c.state {
	case ReadingToken:
		return c.tokenRead(r.Value)
	case TakingLock:
		return c.lockTried(r.Added)
	case ReadingLock:
		return c.lockRead(r)
	case WritingToken:
		if c.sharing == locked {
			return lockToWrite
		}
	case WritingLock:
		if c.origin != isNew && c.sharing == locked {
			c.sharing = shares // it is free
		}
	}
	return written
}

func (c *Call) tokenRead(value string) Event {
	left := c.backoffLeft()
	calls := c.readCalls()
	t, ok := input.ParseStoredToken(value)
	h := hash(t.AccessToken)
	c.foundRefused = 0
	switch {
	case !ok || c.withoutStore():
	case h == c.refused || calls.Refuses(h):
		c.foundRefused = 1
	case c.improves(&t):
		c.keepToken(t.AccessToken, c.now, min(t.ExpiresAt-c.now, vars.MaxLifetime), c.refused != 0)
		if c.ready() {
			c.endPending()
			c.origin, c.inUse = isTaken, h
			return tokenReady
		}
	}
	switch {
	case left > 0:
		c.failure = c.lastFailure(left)
		return changed
	case c.own == 0: // it only checked the store, and the backoff is over by now
		return changed
	case c.withoutStore():
		return requestToken
	}
	return takeLock
}

// improves reports whether a token from the store is this client's, and valid for longer
// than the cached one.
func (c *Call) improves(t *input.Token) bool {
	return t.CacheKey == oauth2.CacheKey(&c.client) && t.ExpiresAt > c.now &&
		(!c.usable() || t.ExpiresAt > c.token.ExpiresAt())
}

func (c *Call) lockTried(added bool) Event {
	switch {
	case c.withoutStore() || c.in.Force && !added:
		return requestToken
	case added:
		c.sharing = locked
		return requestToken
	case c.valid():
		// Another instance renews it. This one checks again in a second.
		c.renewAfter(max(min(c.now+1-c.token.AskedAt, c.token.Lifetime), 0))
		c.saveToken()
		c.endPending()
		return tokenReady
	}
	return lockHeld
}

func (c *Call) lockRead(r *input.Resume) Event {
	lock := oauth2.ParseLock(r.Value)
	_, awaited := lockWait(c.looks)
	free := r.ValueNull || lock.Done
	switch {
	case c.withoutStore() || lock.Failed && lock.Until < c.now-longOver:
		return requestToken
	case lock.Failed:
		c.adopt(&lock)
		return changed
	case c.valid():
		c.endPending()
		return tokenReady
	case awaited >= maxLockWaits:
		c.sharing = without
		return requestToken
	case free && c.foundFree == 0:
		c.foundFree = 1
		return lockFree
	}
	c.foundFree = 0
	return lockBusy
}

// adopt makes the failure of another instance, whose clock may differ, this one's.
func (c *Call) adopt(lock *oauth2.Lock) {
	c.loadRetry()
	c.retry = backoff.Record{
		Since: c.now, Wait: min(max(min(lock.Until-c.now, lock.Wait), 1), backoff.MaxWait),
		Failures: max(lock.Failures, c.retry.Failures), Call: uint32(c.own), Error: lock.Error().Members(),
	}
	c.host.SetVar(vars.Retry, c.retry.Encode())
	c.setRejected(false)
	c.failure = c.lastFailure(c.retry.Wait)
}
