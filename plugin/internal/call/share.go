package call

import (
	"automatic-rostering/plugin/internal/backoff"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/oauth2"
	"automatic-rostering/plugin/internal/state"
)

// A rhythm is that of the waits for another call: each twice as long as the one before
// it, up to the longest, in milliseconds.
type rhythm struct{ first, longest int64 }

var (
	callPause = rhythm{10, 250}  // for another call of this instance
	lockPause = rhythm{50, 1000} // for another instance
)

// patience is how long a call waits for another, in milliseconds, by the sum of its waits:
// a clock may stand still.
const patience = 30_000

// waited returns the sum of the waits so far.
func (c *Call) waited(r rhythm) (sum int64) {
	for i := range c.waits {
		sum += r.wait(i)
	}
	return sum
}

// wait returns the length of a wait.
func (r rhythm) wait(n int) int64 {
	if n > 10 {
		return r.longest
	}
	return min(r.first<<n, r.longest)
}

// pause hands out the next wait.
func (c *Call) pause(r rhythm) {
	if c.state != AwaitingCall {
		c.holdNote(pauseIsNoted)
	}
	c.step.Kind, c.step.Pause = Wait, r.wait(c.waits)
	c.waits++
}

// lockTTL is how long the lock of a process that died keeps the others waiting, and
// doneTTL how long the others see that a token request has ended, in seconds.
const (
	lockTTL = 10
	doneTTL = 1
)

// storeStep hands out an operation of the shared store.
func (c *Call) storeStep() {
	if c.state < RequestingToken {
		c.holdNote(noteHolds)
	}
	c.step.Kind = Store
	op := &c.step.Op
	op.Name, op.Key = "set", oauth2.CacheKey(&c.client)
	if c.state != ReadingToken && c.state != WritingToken {
		op.Key += ":asking"
	}
	switch c.state {
	case ReadingToken, ReadingLock:
		op.Name = "get"
	case TakingLock:
		op.Name, op.Value, op.TTL = "add", oauth2.Asking, lockTTL
	case WritingToken:
		op.Value, op.TTL = string(c.object), c.token.ExpiresAt()-c.now
	case WritingDone:
		op.Value, op.TTL = oauth2.Done, doneTTL
	default:
		c.loadRetry()
		op.Value, op.TTL = oauth2.LockFailure(&c.retry), c.retry.Wait
	}
}

// storeAnswered takes the result of an operation of the store.
func (c *Call) storeAnswered(r *input.Resume) Event {
	if r.Given == input.GivenFailed || c.now == 0 {
		c.sharing = without
	}
	switch c.state {
	case ReadingToken:
		return c.tokenRead(r.Value)
	case TakingLock:
		return c.lockTried(r.Added)
	case ReadingLock:
		if c.alone() {
			return requestNext
		}
		return c.lockRead(r)
	case WritingToken:
		if c.sharing == locked {
			return lockToWrite
		}
	case WritingFailure, WritingRejection:
		c.loadRetry()
		c.failure = c.lastFailure(c.retry.Wait)
		c.declineWith(c.failure)
	}
	return written
}

func (c *Call) tokenRead(value string) Event {
	waits := c.wait()
	if t, ok := input.ParseStoredToken(value); ok && !c.alone() && c.takes(&t) {
		c.keepToken(t.AccessToken, c.now, min(t.ExpiresAt-c.now, state.MaxLifetime))
		c.token.Obtained = c.refused != 0
		c.saveToken()
		if c.needsNoRenewal() {
			c.endNote()
			return tokenTaken
		}
	}
	switch {
	case waits > 0:
		c.failure = c.lastFailure(waits)
		return noToken
	case c.alone():
		return requestNext
	}
	return lockFirst
}

// takes reports whether a token out of the store is of use: this client's, valid for
// longer than the one at hand, and not the one that the service refused.
func (c *Call) takes(t *input.Token) bool {
	return t.CacheKey == oauth2.CacheKey(&c.client) && hash(t.AccessToken) != c.refused &&
		t.ExpiresAt > c.now && (!c.usable() || t.ExpiresAt > c.token.ExpiresAt())
}

func (c *Call) lockTried(added bool) Event {
	switch {
	case c.alone() || c.in.Force && !added:
		return requestNext
	case added:
		c.sharing = locked
		return requestNext
	case c.usable() && c.stillValid():
		// Another instance renews it. This one looks again in a second.
		c.token.RenewAfter = min(c.now+1-c.token.AskedAt, c.token.Lifetime)
		c.saveToken()
		c.endNote()
		return tokenValid
	}
	return lockHeld
}

func (c *Call) lockRead(r *input.Resume) Event {
	lock := oauth2.ParseLock(r.Value)
	if lock.Failed {
		c.adopt(&lock)
		return noToken
	}
	if c.waited(lockPause) >= patience {
		c.sharing = without
		return requestNext
	}
	free := r.ValueNull || lock.Done
	switch {
	case free && c.foundFree:
		return lockFreeTwice
	case free:
		c.foundFree = true
		return lockFree
	}
	return lockBusy
}

// adopt makes the failure of another instance this one's.
func (c *Call) adopt(lock *oauth2.Lock) {
	c.loadRetry()
	c.retry = backoff.Record{
		Since: c.now, Wait: min(max(lock.Until-c.now, 1), backoff.MaxWait),
		Failures: max(lock.Failures, c.retry.Failures), Call: c.note, Error: lock.Error().Members(),
	}
	c.host.SetVar(state.Retry, c.retry.Encode())
	c.failure = c.lastFailure(c.retry.Wait)
}
