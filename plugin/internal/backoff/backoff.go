// Package backoff says how long the next token request waits after failed ones.
package backoff

import (
	"encoding/binary"

	"automatic-rostering/plugin/internal/ascii"
)

const (
	maxWait       = 60   // seconds, of our own waits
	maxRetryAfter = 3600 // seconds, of a wait that the server asks for
)

// Record is what is kept between calls.
type Record struct {
	// Until is when the next token request may leave, in Unix seconds.
	Until int64
	// Failures is how many token requests failed in a row.
	Failures int
	// Error is the last failure, as the JSON object that the host got, without
	// retry_after. It is empty once a token came but no call has succeeded yet.
	Error []byte
}

// Wait gives the seconds to wait after a number of failures in a row, 1 or more:
// 1, 2, 4 … 60.
func Wait(failures int) int64 {
	if failures > 6 {
		return maxWait
	}
	return 1 << (failures - 1)
}

// RetryAfter reads that header: seconds, at least 1 and at most an hour. Anything
// else is ignored: RFC 9110 §10.2.3 also allows a date, but then two clocks would
// have to be trusted.
func RetryAfter(header string) (seconds int64, ok bool) {
	if seconds, ok = ascii.Digits(header, maxRetryAfter); ok {
		seconds = max(seconds, 1)
	}
	return seconds, ok
}

// Left gives the seconds until the next token request may leave, or 0. A wait that
// is longer than any that can have been set comes from another clock and is over.
func (r *Record) Left(now int64) int64 {
	if left := r.Until - now; left > 0 && left <= maxRetryAfter {
		return left
	}
	return 0
}

// headSize is the length of Until and Failures.
const headSize = 16

// Encode gives the record as the value of a var.
func (r *Record) Encode() []byte {
	b := make([]byte, headSize, headSize+len(r.Error))
	binary.LittleEndian.PutUint64(b, uint64(r.Until))
	binary.LittleEndian.PutUint64(b[8:], uint64(r.Failures))
	return append(b, r.Error...)
}

// Decode reads the value of a var. What is not a record gives an empty one: no
// wait.
func Decode(b []byte) Record {
	if len(b) < headSize {
		return Record{}
	}
	until := int64(binary.LittleEndian.Uint64(b))
	failures := binary.LittleEndian.Uint64(b[8:])
	if until < 0 {
		return Record{}
	}
	const most = 1 << 30 // an int of the guest holds no more than twice that
	return Record{Until: until, Failures: int(min(failures, most)), Error: b[headSize:]}
}
