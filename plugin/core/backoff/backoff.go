// Package backoff determines how long the next token request waits after failed ones.
package backoff

import (
	"encoding/binary"

	"automatic-rostering.example/rostering/plugin/core/ascii"
)

const (
	// MaxOwnWait is the longest wait that the plugin chooses itself, in seconds.
	MaxOwnWait = 30
	// MaxWait is the longest wait that a server or the store can request, in seconds.
	MaxWait = 3600
	// forgotten is how long after its last backoff a series ends, in seconds: an hour of
	// refused tokens may have a call every few minutes.
	forgotten = 600
	// young is how old a token is, in seconds, that any service knows of.
	young = 10
)

// Record is what is kept between calls.
type Record struct {
	// Since is when the wait began, in Unix seconds, and Wait its length in seconds.
	Since, Wait int64
	// Failures is how many failures of the same kind there were in a row.
	Failures int
	// Refusal says that they were refused tokens, not failed token requests.
	Refusal bool
	// Series is when the first of a series of young tokens was refused, in Unix seconds, or 0.
	Series int64
	// Secret is the mark of the client secret with which the token request failed.
	Secret int64
	// Warned is when a warning about the failures was last logged, in Unix seconds, or 0.
	Warned int64
	// Error is the last failure: the members of the JSON object that the host got, except
	// retry_after.
	Error []byte
}

// Next returns the record of another failure now, with the plugin's own wait after it:
// 1, 2, 4 … 30 seconds. The first refused token of a series has none.
func (r *Record) Next(refusal bool, now int64) *Record {
	next := &Record{Since: now, Failures: 1, Refusal: refusal, Series: r.InSeries(now), Warned: r.Warned}
	if r.Refusal == refusal && (next.Series != 0 || !refusal && len(r.Error) != 0) {
		next.Failures = min(r.Failures+1, MaxFailures)
	}
	if refusal && next.Series == 0 {
		next.Series = now
	}
	doublings := next.Failures - 1
	if refusal {
		doublings--
	}
	if doublings >= 0 {
		next.Wait = min(int64(1)<<min(doublings, 8), MaxOwnWait)
	}
	return next
}

// InSeries returns when the series began to which a token belongs that is refused now, or 0.
func (r *Record) InSeries(now int64) int64 {
	length := int64(forgotten)
	if r.Refusal && r.Failures == 1 { // the next token was not refused yet
		length = young
	}
	if now > r.Since+r.Wait+length {
		return 0
	}
	return r.Series
}

// Refused reports whether the service refuses tokens: the last refused one has not been accepted
// since, as far as it can be known.
func (r *Record) Refused(now int64) bool {
	return r.Refusal && len(r.Error) != 0 && now <= r.Since+r.Wait+young
}

// Patient reports whether a token may not be known to the service yet. The longer a series of
// such tokens lasts, the older they may be: otherwise each would be replaced by one that is
// too young again.
func (r *Record) Patient(requestedAt, now int64) bool {
	patience := int64(young)
	if series := r.InSeries(now); series != 0 {
		patience = max(patience, 3*(requestedAt-series))
	}
	return now < requestedAt+patience
}

// RetryAfter reads a Retry-After header (RFC 9110 §10.2.3): at least 1 second and at most an hour,
// or 0 for anything that is not a wait. A date counts from the Date of its response, so that only the
// server's clock matters, or from now, unless that is 0.
func RetryAfter(header, date string, now int64) (seconds int64) {
	seconds, ok := ascii.Digits(header, MaxWait)
	if !ok {
		if from := fixdate(date); from != 0 {
			now = from
		}
		seconds = fixdate(header)
		if seconds == 0 || now == 0 {
			return 0
		}
		seconds -= now
	}
	return max(min(seconds, MaxWait), 1)
}

// fixdate reads an IMF-fixdate (RFC 9110 §5.6.7), such as Sun, 06 Nov 1994 08:49:37 GMT, as Unix
// seconds, or returns 0. It does not check all of it, because no wait is longer than an hour.
func fixdate(s string) int64 {
	if len(s) != 29 || s[25:] != " GMT" {
		return 0
	}
	var n [6]int64
	month := int64(ascii.Word("Mar Apr May Jun Jul Aug Sep Oct Nov Dec Jan Feb", s[8:11]))
	for i, at := range [...]byte{5, 12, 14, 17, 20, 23} {
		two, ok := ascii.Digits(s[at:at+2], 99)
		if !ok || month < 0 {
			return 0
		}
		n[i] = two
	}
	year := n[1]*100 + n[2] - month/10 // which begins in March
	days := year*365 + year/4 - year/100 + year/400 + (month*306+5)/10 + n[0] - 719469
	return ((days*24+n[3])*60+n[4])*60 + n[5]
}

// Left returns the seconds until the next token request may be sent, or 0. If the clock was
// set back, the wait starts over: it is never longer than it was when set.
func (r *Record) Left(now int64) int64 {
	if len(r.Error) == 0 {
		return 0
	}
	r.Since = min(r.Since, now)
	return max(r.Since+r.Wait-now, 0)
}

// headSize is the encoded length of all fields but Error.
const headSize = 40

// Encode returns the record as the value of a var.
func (r *Record) Encode() []byte {
	b := make([]byte, headSize, headSize+len(r.Error))
	binary.LittleEndian.PutUint64(b, uint64(r.Since))
	binary.LittleEndian.PutUint32(b[8:], uint32(r.Wait))
	binary.LittleEndian.PutUint32(b[12:], uint32(r.Failures))
	if r.Refusal {
		b[16] = 1
	}
	binary.LittleEndian.PutUint32(b[20:], uint32(r.Secret))
	binary.LittleEndian.PutUint64(b[24:], uint64(r.Warned))
	binary.LittleEndian.PutUint64(b[32:], uint64(r.Series))
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
		Refusal:  b[16] == 1,
		Secret:   int64(binary.LittleEndian.Uint32(b[20:])),
		Warned:   int64(binary.LittleEndian.Uint64(b[24:])),
		Series:   int64(binary.LittleEndian.Uint64(b[32:])),
		Error:    b[headSize:],
	}
}
