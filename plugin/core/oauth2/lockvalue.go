package oauth2

import (
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// The values of the lock in the shared store, which show the instances of a fleet each
// other's token requests; the third is FailedLock.
const (
	Requesting = `{"state":"requesting"}`
	Done       = `{"state":"done"}`
)

// FailedLock returns the value of the lock that shows a failure, as one of failures in a row, and
// how many seconds it is until the next token request.
func FailedLock(f backoff.Failure, now, wait, failures int64) string {
	var w json.Writer
	w.Raw(`{"state":"failed","code":"`)
	w.Raw(f.Name())
	w.Raw(`"`)
	w.Number("status", f.Status)
	w.Number("until", now+wait)
	w.Number("wait", wait)
	w.Number("failures", failures)
	w.Raw("}")
	return string(w)
}

// Lock is a decoded value of the lock. Without a state, it is held, or one that this
// version cannot read: it expires.
type Lock struct {
	Done, Failed bool
	backoff.Failure
	Until    int64 // Unix seconds, by the clock of the other instance
	Wait     int64 // seconds, from when the value was written
	Failures int64
}

// ParseLock decodes a value from the store, which anybody may have written. It ignores unknown
// fields: a later version may add some.
func ParseLock(value string) *Lock {
	lock, v := &Lock{}, json.Value(value)
	if !json.Object(v, func(string, json.Value) bool { return false }) {
		return lock
	}
	state := v.Get("state").Text()
	lock.Done, lock.Failed = state == "done", state == "failed"
	number := func(name string, least, most int64) int64 {
		n, ok := v.Get(name).Natural(most)
		lock.Failed = lock.Failed && ok && n >= least
		return n
	}
	lock.Failure = backoff.Failed(v.Get("code").Text(), number("status", 0, backoff.MaxStatus+1))
	lock.Until = number("until", 1, clock.Latest)
	lock.Wait = number("wait", 1, backoff.MaxWait)
	lock.Failures = number("failures", 1, backoff.MaxFailures)
	lock.Failed = lock.Failed && lock.Shareable()
	return lock
}
