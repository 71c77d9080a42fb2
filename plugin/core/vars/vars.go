// Package vars defines the names and the encoding of the vars: all that outlives a call.
package vars

import "encoding/binary"

// The vars. Names have exactly 8 bytes, which a guest writes in one host call.
const (
	// Summary is what is known about the token, of fixed size: see Token.
	Summary = "ar-state"
	// TokenObject is the token object that get_token returns.
	TokenObject = "ar-token"
	// TokenStep is the step that begin returns for a get_token with that token.
	TokenStep = "ar-tstep"
	// Previous is the token object before it. A request with that token may be under way.
	Previous = "ar-prev."
	// JobsRequest is the complete /jobs request with token and ids: the input of
	// http_request, or the whole step that begin returns. See Token.Prepared.
	JobsRequest = "ar-jobs."
	// JobsIDs names the ids of the input for which JobsRequest was prepared.
	JobsIDs = "ar-ids.."
	// LogLine is the line that is logged for a 200 to JobsRequest.
	LogLine = "ar-log.."
	// Retry is the backoff: see package backoff.
	Retry = "ar-retry"
	// Shared is what the calls of the instance know about each other: see Calls.
	Shared = "ar-calls"
)

// All lists every var except Summary, for clear_token. It updates Summary instead: a call
// that began before it must not pass for one that began after it.
var All = [...]string{TokenObject, TokenStep, Previous, JobsRequest, JobsIDs, LogLine, Retry, Shared}

// Prepared is the form in which JobsRequest was prepared.
type Prepared uint8

const (
	Nothing    Prepared = iota // there is no prepared request
	ForRequest                 // for http_request
	ForStep                    // for begin; what the host accepts is added to it
)

// LastPrepared is ForStep for a host that accepts the most.
const LastPrepared = ForStep + 2

// Token is what is known about the cached token.
type Token struct {
	// AskedAt is when it was requested, in Unix seconds, just before the request
	// was sent. 0 if there was no usable clock: its expiry is then unknown.
	AskedAt int64
	// Lifetime and RenewAfter are seconds since AskedAt: until it expires, and until
	// a new one is requested.
	Lifetime, RenewAfter int64
	// Dropped says that the token was removed.
	Dropped bool
	// Rejected says that the service refused it when it was new.
	Rejected bool
	// Replacement says that it was obtained in place of a refused one.
	Replacement bool
	// Prepared says what JobsRequest is, and ForInput whether it was prepared for the
	// ids in JobsIDs instead of those in the config.
	Prepared Prepared
	ForInput bool
	// StepPrepared says that TokenStep is set.
	StepPrepared bool
	// Epoch counts the clear_tokens so far.
	Epoch uint32

	// Hash is the hash of the access token. Owner identifies the client and the epoch to
	// which it belongs. A call with a warm token reads neither.
	Hash  int64
	Owner uint32
}

// ExpiryKnown reports whether the clock was usable when the token was requested.
func (t *Token) ExpiryKnown() bool { return t.AskedAt != 0 }

// ExpiresAt returns when it expires, in Unix seconds, or 0 if unknown.
func (t *Token) ExpiresAt() int64 {
	if !t.ExpiryKnown() {
		return 0
	}
	return t.AskedAt + t.Lifetime
}

// RenewAt returns when a new one is requested, in Unix seconds.
func (t *Token) RenewAt() int64 { return t.AskedAt + t.RenewAfter }

// The value of Summary is four words, of which a call with a warm token reads two.
//
// first word:  AskedAt 40 bits | unused 12 | flags, from bit 4 on | marker 4
// second word: Epoch 30 bits | Lifetime 17 | RenewAfter 17
// third word:  Hash
// fourth word: Owner
const (
	timeBits   = 40
	marker     = 0x6
	markerMask = 1<<4 - 1

	droppedBit      = 4
	rejectedBit     = 5
	replacementBit  = 6
	forInputBit     = 7
	stepPreparedBit = 8
	preparedBit     = 9 // and two more

	lifeBits  = 17
	epochBits = 30

	// MaxLifetime is the longest lifetime that is accepted and can be stored: a day.
	MaxLifetime = 86400
)

func bit(set bool, at int) uint64 {
	if set {
		return 1 << at
	}
	return 0
}

// Words returns the first two words.
func (t *Token) Words() (first, second uint64) {
	first = uint64(t.AskedAt)<<(64-timeBits) | marker |
		bit(t.Dropped, droppedBit) | bit(t.Rejected, rejectedBit) | bit(t.Replacement, replacementBit) |
		bit(t.ForInput, forInputBit) | bit(t.StepPrepared, stepPreparedBit) | uint64(t.Prepared)<<preparedBit
	second = uint64(t.Epoch)<<(2*lifeBits) | uint64(t.Lifetime)<<lifeBits | uint64(min(max(t.RenewAfter, 0), t.Lifetime))
	return first, second
}

// SetWords decodes what Words returned. It rejects what Words cannot have returned.
func (t *Token) SetWords(first, second uint64) (ok bool) {
	const life = 1<<lifeBits - 1
	t.AskedAt = int64(first >> (64 - timeBits))
	t.Dropped = first>>droppedBit&1 == 1
	t.Rejected = first>>rejectedBit&1 == 1
	t.Replacement = first>>replacementBit&1 == 1
	t.ForInput = first>>forInputBit&1 == 1
	t.StepPrepared = first>>stepPreparedBit&1 == 1
	t.Prepared = Prepared(first >> preparedBit & 7)
	t.Epoch = uint32(second >> (2 * lifeBits))
	t.Lifetime = int64(second >> lifeBits & life)
	t.RenewAfter = int64(second & life)
	return first&markerMask == marker && t.Prepared <= LastPrepared &&
		t.Lifetime <= MaxLifetime && t.RenewAfter <= t.Lifetime
}

// Encode returns the value of Summary.
func (t *Token) Encode() []byte {
	first, second := t.Words()
	return words(first, second, uint64(t.Hash), uint64(t.Owner))
}

// Decode decodes the value of Summary. It rejects what Encode cannot have returned.
func (t *Token) Decode(b []byte) (ok bool) {
	if len(b) != 4*8 {
		return false
	}
	t.Hash, t.Owner = int64(word(b, 2)), uint32(word(b, 3))
	return t.SetWords(word(b, 0), word(b, 1))
}

// Calls is what the calls of one instance know about each other.
type Calls struct {
	// Pending is the number of the call that obtains a token, or did so last. It only grows.
	Pending uint32
	// Until is how long the others wait for it, in Unix seconds: 0 once it has ended.
	Until int64
	// LookedAt is when a call last checked the store during a backoff.
	LookedAt int64
	// SteppedAt is when a call that obtains a token last returned a step.
	SteppedAt int64
	// Refused are the hashes of the tokens that were dropped because the service refused
	// them, latest first.
	Refused [4]int64
}

// Refuse remembers the hash of a refused token.
func (c *Calls) Refuse(hash int64) {
	c.Forgive(hash)
	copy(c.Refused[1:], c.Refused[:])
	c.Refused[0] = hash
}

// Forgive forgets a token that Refuse remembered.
func (c *Calls) Forgive(hash int64) {
	for i, h := range c.Refused {
		if h == hash {
			copy(c.Refused[i:], c.Refused[i+1:])
			c.Refused[len(c.Refused)-1] = 0
		}
	}
}

// Refuses reports whether a token was refused.
func (c *Calls) Refuses(hash int64) bool {
	for _, h := range c.Refused {
		if h == hash && h != 0 {
			return true
		}
	}
	return false
}

// Encode returns the value of Shared.
func (c *Calls) Encode() []byte {
	return words(uint64(c.Pending), uint64(c.Until), uint64(c.LookedAt), uint64(c.SteppedAt),
		uint64(c.Refused[0]), uint64(c.Refused[1]), uint64(c.Refused[2]), uint64(c.Refused[3]))
}

// DecodeCalls decodes the value of Shared.
func DecodeCalls(b []byte) *Calls {
	if len(b) != 8*8 {
		return &Calls{}
	}
	return &Calls{uint32(word(b, 0)), int64(word(b, 1)), int64(word(b, 2)), int64(word(b, 3)),
		[4]int64{int64(word(b, 4)), int64(word(b, 5)), int64(word(b, 6)), int64(word(b, 7))}}
}

func words(all ...uint64) (b []byte) {
	for _, w := range all {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
