package flow

import (
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
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

const (
	// lockTTL is how long the lock of a process that died makes the others wait, doneTTL how
	// long the others see that a token request has ended, and minFailedTTL how long they see
	// at least that it has failed, in seconds.
	lockTTL      = 10
	doneTTL      = 1
	minFailedTTL = 3
	// longestShared is how long the others respect a Retry-After, in seconds.
	longestShared = 60
)

// late is how much longer than its backoff a failure may be in the store, in seconds.
const late = 2

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
	case f.retry.Told != 0:
		left = min(left, longestShared)
	default:
		left = (left + 1) / 2 // the others ask first: this instance may be the only one that fails
	}
	return oauth2.FailedLock(f.retry.Failure, f.now, left, max(f.retry.Failures, 1)), max(left, minFailedTTL)
}

// lockRead processes the value of the lock, which another instance holds or held.
func (f *Flow) lockRead(r *input.Resume) {
	lock := oauth2.ParseLock(r.Value)
	if lock.Failed {
		f.noteFailure(lock)
	}
	switch {
	case f.store == storeFailed:
	case lock.Failed && f.now > f.instance.SeenAt+lock.Wait+late: // the store expires nothing
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

// noteFailure notes when this instance first saw a failure, by its own clock.
func (f *Flow) noteFailure(lock *oauth2.Lock) {
	s, failure := f.instance, lock.Failures<<40+lock.Until
	if s.Shared != failure || s.SeenAt > f.now {
		s.Shared, s.SeenAt = failure, f.now
		f.save()
	}
}

// adopt makes a failure in the store this instance's. Another one's clock may differ. The instance's
// own failure keeps its error, of which the store has less.
func (f *Flow) adopt(lock *oauth2.Lock) {
	err, members := lock.Error(), f.members()
	if lock.Failure != f.retry.Failure {
		err.Message += " (seen by another instance)"
		members = err.Members()
	}
	secret := f.markOf(err)
	if f.retry.Told != 0 && f.left() > 0 {
		secret = f.retry.Secret // a Retry-After is for every secret
	}
	f.setBackoff(backoff.Record{
		Failure: lock.Failure, Secret: secret,
		Since: f.now, Wait: max(f.untilExpiry(min(lock.Until-f.now, lock.Wait)), f.left()),
		Failures: max(lock.Failures, f.retry.Failures), Warned: f.retry.Warned,
	}, members)
	f.fail(err)
	f.err = nil // the backoff has it
}
