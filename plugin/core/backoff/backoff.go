// Package backoff determines how long the next token request waits after failed ones.
package backoff

import (
	"encoding/binary"

	"automatic-rostering/plugin/core/ascii"
)

const (
	maxWait = 60 // seconds, of the plugin's own waits
	// MaxWait is the longest wait that a server or the store can request, in seconds.
	MaxWait = 3600
)

// Record is what is kept between calls.
type Record struct {
	// Since is when the wait began, in Unix seconds, and Wait its length in seconds.
	Since, Wait int64
	// Failures is how many token requests failed in a row.
	Failures int
	// Call is the number of the call that failed last, as a pending call: see vars.Calls.
	Call uint32
	// Error is the last failure: the members of the JSON object that the host got, except
	// retry_after. It is empty if a token was obtained since, but no call has succeeded yet.
	Error []byte
}

// Wait returns the seconds to wait after a number of failures in a row, 1 or more:
// 1, 2, 4 … 60.
func Wait(failures int) int64 {
	if failures > 6 {
		return maxWait
	}
	return 1 << (failures - 1)
}

// RetryAfter reads a Retry-After header: seconds, at least 1 and at most an hour. Anything
// else is ignored: RFC 9110 §10.2.3 also allows a date, but then two clocks would have to
// be trusted.
func RetryAfter(header string) (seconds int64, ok bool) {
	if seconds, ok = ascii.Digits(header, MaxWait); ok {
		seconds = max(seconds, 1)
	}
	return seconds, ok
}

// Left returns the seconds until the next token request may be sent, or 0. If the clock was
// set back, the wait starts anew: it is never longer than it was when set.
func (r *Record) Left(now int64) int64 {
	if len(r.Error) == 0 {
		return 0
	}
	r.Since = min(r.Since, now)
	return max(r.Since+r.Wait-now, 0)
}

// headSize is the encoded length of all fields but Error.
const headSize = 24

// Encode returns the record as the value of a var.
func (r *Record) Encode() []byte {
	b := make([]byte, headSize, headSize+len(r.Error))
	binary.LittleEndian.PutUint64(b, uint64(r.Since))
	binary.LittleEndian.PutUint32(b[8:], uint32(r.Wait))
	binary.LittleEndian.PutUint32(b[12:], uint32(r.Failures))
	binary.LittleEndian.PutUint32(b[16:], r.Call)
	return append(b, r.Error...)
}

// MaxFailures is the largest number of failures that is counted.
const MaxFailures = 1 << 20

// Decode decodes the value of a var. Anything but a record becomes an empty one: no wait.
func Decode(b []byte) Record {
	if len(b) < headSize {
		return Record{}
	}
	return Record{
		Since:    max(int64(binary.LittleEndian.Uint64(b)), 0),
		Wait:     min(int64(binary.LittleEndian.Uint32(b[8:])), MaxWait),
		Failures: int(min(binary.LittleEndian.Uint32(b[12:]), MaxFailures)),
		Call:     binary.LittleEndian.Uint32(b[16:]),
		Error:    b[headSize:],
	}
}
