// Package backoff determines how token requests fail, and how long the next one waits after failed ones.
package backoff

const (
	// MaxOwnWait is the longest wait that the plugin chooses itself, in seconds.
	MaxOwnWait = 30
	// MaxWait is the longest wait that a server or the store can request, in seconds.
	MaxWait = 3600
	// MaxFailures is the largest number of failures that is counted.
	MaxFailures = 1 << 20
)

// Record is a time without token requests. The zero value means that there is none. It consists of
// numbers, which an instance keeps.
type Record struct {
	Failure // the last one
	// Since is when the wait began, in Unix seconds, and Wait its length in seconds.
	Since, Wait int64
	// Failures is how many failures there were in a row.
	Failures int64
	// Told is 1 if a server chose the wait.
	Told int64
	// Secret is the mark of the client secret with which the token request failed, or 0.
	Secret int64
	// Warned is when a warning about the failures was last logged, in Unix seconds, or 0.
	Warned int64
}

// Next returns the record of another failure now, with the plugin's own wait after it:
// 1, 2, 4 … 30 seconds.
func (r *Record) Next(f Failure, now int64) Record {
	failures := min(max(r.Failures, 0)+1, MaxFailures)
	wait := min(int64(1)<<min(failures-1, 8), MaxOwnWait)
	return Record{Failure: f, Since: now, Wait: wait, Failures: failures, Warned: r.Warned}
}

// Settle begins the wait again if the clock was set back: it is never longer than it was when
// set. It reports whether it did.
func (r *Record) Settle(now int64) bool {
	back := now < r.Since
	r.Since = min(r.Since, now)
	return back
}

// Left returns the seconds until the next token request may be sent, or 0.
func (r *Record) Left(now int64) int64 {
	if r.Failures <= 0 {
		return 0
	}
	return max(min(r.Since, now)+min(r.Wait, MaxWait)-now, 0)
}
