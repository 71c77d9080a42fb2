// Package state holds the names and the form of the vars: all that outlives a
// call.
package state

import "encoding/binary"

// The vars. Names have exactly 8 bytes, which a guest writes in one host call.
const (
	// Summary is what is known of the token, of fixed size: see Token.
	Summary = "ar-state"
	// TokenObject is the token as get_token gives it.
	TokenObject = "ar-token"
	// JobsRequest is the complete /jobs request, token and ids in it.
	JobsRequest = "ar-jobs."
	// JobsIDs tells for which ids of the input JobsRequest was prepared.
	JobsIDs = "ar-ids.."
	// LogLine is the line that is logged when JobsRequest was answered with 200.
	LogLine = "ar-log.."
	// Retry is the back-off: see package backoff.
	Retry = "ar-retry"
)

// Prepared tells for which ids JobsRequest was prepared.
type Prepared uint8

const (
	Nothing   Prepared = iota // there is no prepared request
	ForConfig                 // for the ids of the config
	ForInput                  // for the ids in JobsIDs
)

// Token is what is known of the cached token.
type Token struct {
	// AskedAt is when it was asked for, in Unix seconds, just before the request
	// was sent. 0 where there was no usable clock: its expiry is then unknown.
	AskedAt int64
	// Lifetime and RenewAfter are seconds from AskedAt on: until it expires, and
	// until a new one is asked for.
	Lifetime, RenewAfter int64
	// Generation tells this token from those before it. It goes on when a token is
	// dropped.
	Generation uint16
	// Dropped says that there is no token any more.
	Dropped bool
	// Rejected says that the service refused it when it was new.
	Rejected bool
	Prepared Prepared
}

// ExpiryKnown reports whether the token was asked for by a usable clock.
func (t *Token) ExpiryKnown() bool { return t.AskedAt != 0 }

// ExpiresAt is in Unix seconds, 0 where unknown.
func (t *Token) ExpiresAt() int64 {
	if !t.ExpiryKnown() {
		return 0
	}
	return t.AskedAt + t.Lifetime
}

// The value of Summary is two words, all that a call with a warm token reads.
//
// first word:  AskedAt 40 bits | Generation 16 | Rejected 1 | Prepared 2 | Dropped 1 | marker 4
// second word: Lifetime 32 bits | RenewAfter 32
const (
	timeBits   = 40
	marker     = 0x5
	markerMask = 1<<4 - 1

	// MaxLifetime bounds what can be stored: a day, the longest that is believed.
	MaxLifetime = 86400
)

// Words gives the token as two words.
func (t *Token) Words() (first, second uint64) {
	first = uint64(t.AskedAt)<<(64-timeBits) | uint64(t.Generation)<<8 | uint64(t.Prepared)<<5 | marker
	if t.Rejected {
		first |= 1 << 7
	}
	if t.Dropped {
		first |= 1 << 4
	}
	return first, uint64(t.Lifetime)<<32 | uint64(t.RenewAfter)
}

// FromWords reads what Words gave. It refuses what Words cannot have given.
func FromWords(first, second uint64) (t Token, ok bool) {
	t = Token{
		AskedAt:    int64(first >> (64 - timeBits)),
		Generation: uint16(first >> 8),
		Rejected:   first>>7&1 == 1,
		Dropped:    first>>4&1 == 1,
		Prepared:   Prepared(first >> 5 & 3),
		Lifetime:   int64(second >> 32),
		RenewAfter: int64(second & (1<<32 - 1)),
	}
	ok = first&markerMask == marker && t.Prepared <= ForInput &&
		t.Lifetime <= MaxLifetime && t.RenewAfter <= t.Lifetime
	return t, ok
}

// Encode gives the value of Summary.
func (t *Token) Encode() []byte {
	first, second := t.Words()
	b := binary.LittleEndian.AppendUint64(nil, first)
	return binary.LittleEndian.AppendUint64(b, second)
}
