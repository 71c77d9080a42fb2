// Package backoff determines how long the next token request waits after failed ones.
package backoff

import "encoding/binary"

const (
	// MaxOwnWait is the longest wait that the plugin chooses itself, in seconds.
	MaxOwnWait = 30
	// MaxWait is the longest wait that a server or the store can request, in seconds.
	MaxWait = 3600
)

// Record is what is kept between calls.
type Record struct {
	// Since is when the wait began, in Unix seconds, and Wait its length in seconds.
	Since, Wait int64
	// Failures is how many failures there were in a row.
	Failures int
	// Told says that a server chose the wait.
	Told bool
	// Secret is the mark of the client secret with which the token request failed.
	Secret int64
	// Warned is when a warning about the failures was last logged, in Unix seconds, or 0.
	Warned int64
	// Error is the last failure: the members of the JSON object that the host got, except
	// retry_after.
	Error []byte
}

// Next returns the record of another failure now, with the plugin's own wait after it:
// 1, 2, 4 … 30 seconds.
func (r *Record) Next(now int64) *Record {
	next := &Record{Since: now, Failures: 1, Warned: r.Warned}
	if len(r.Error) != 0 {
		next.Failures = min(r.Failures+1, MaxFailures)
	}
	next.Wait = min(int64(1)<<min(next.Failures-1, 8), MaxOwnWait)
	return next
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
	if len(r.Error) == 0 {
		return 0
	}
	return max(min(r.Since, now)+r.Wait-now, 0)
}

// headSize is the encoded length of all fields but Error.
const headSize = 32

// Encode returns the record as the value of a var.
func (r *Record) Encode() []byte {
	b := make([]byte, headSize, headSize+len(r.Error))
	binary.LittleEndian.PutUint64(b, uint64(r.Since))
	binary.LittleEndian.PutUint32(b[8:], uint32(r.Wait))
	binary.LittleEndian.PutUint32(b[12:], uint32(r.Failures))
	if r.Told {
		b[16] = 1
	}
	binary.LittleEndian.PutUint32(b[20:], uint32(r.Secret))
	binary.LittleEndian.PutUint64(b[24:], uint64(r.Warned))
	return append(b, r.Error...)
}

// MaxFailures is the largest number of failures that is counted.
const MaxFailures = 1 << 20

// Decode decodes the value of a var. Anything but a record becomes an empty one: no wait.
func Decode(b []byte) *Record {
	if len(b) < headSize {
		return &Record{}
	}
	return &Record{
		Since:    max(int64(binary.LittleEndian.Uint64(b)), 0),
		Wait:     min(int64(binary.LittleEndian.Uint32(b[8:])), MaxWait),
		Failures: int(min(binary.LittleEndian.Uint32(b[12:]), MaxFailures)),
		Told:     b[16] == 1,
		Secret:   int64(binary.LittleEndian.Uint32(b[20:])),
		Warned:   int64(binary.LittleEndian.Uint64(b[24:])),
		Error:    b[headSize:],
	}
}
