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
	// TokenStep is the step that begin gives for a get_token with that token.
	TokenStep = "ar-tstep"
	// Previous is the token before it: see Replaced.
	Previous = "ar-prev."
	// JobsRequest is the complete /jobs request, token and ids in it: as http_request
	// takes it, or the whole step that begin gives. See Token.Prepared.
	JobsRequest = "ar-jobs."
	// JobsIDs tells for which ids of the input JobsRequest was prepared.
	JobsIDs = "ar-ids.."
	// LogLine is the line that is logged when JobsRequest was answered with 200.
	LogLine = "ar-log.."
	// Retry is the back-off: see package backoff.
	Retry = "ar-retry"
	// Pending says that a call is obtaining a token: see Note.
	Pending = "ar-note."
)

// All is every var, for clear_token, which keeps Summary alone: a call that began
// before it must not be taken for one that began after it.
var All = [...]string{TokenObject, TokenStep, Previous, JobsRequest, JobsIDs, LogLine, Retry, Pending}

// Prepared tells the form in which JobsRequest was prepared.
type Prepared uint8

const (
	Nothing    Prepared = iota // there is no prepared request
	ForRequest                 // for http_request
	ForStep                    // for begin; what the host accepts is added to it
)

// LastPrepared is ForStep for a host that accepts most.
const LastPrepared = ForStep + 2

// Token is what is known of the cached token.
type Token struct {
	// AskedAt is when it was requested, in Unix seconds, just before the request
	// was sent. 0 where there was no usable clock: its expiry is then unknown.
	AskedAt int64
	// Lifetime and RenewAfter are seconds from AskedAt on: until it expires, and
	// until a new one is requested.
	Lifetime, RenewAfter int64
	// Dropped says that the token was removed.
	Dropped bool
	// Rejected says that the service refused it when it was new.
	Rejected bool
	// Obtained says that this instance requested it, or took it from the store in
	// place of a refused one.
	Obtained bool
	// Prepared and ForInput tell what JobsRequest is, and whether it was prepared for
	// the ids in JobsIDs instead of those of the config.
	Prepared Prepared
	ForInput bool
	// StepPrepared says that TokenStep is there.
	StepPrepared bool
	// Epoch counts the clear_tokens so far.
	Epoch uint32

	// Generation tells this token from those before it. It goes on when a token is
	// dropped. Owner names the client and the epoch to which it belongs. A call with a
	// warm token reads neither.
	Generation, Owner uint32
}

// ExpiryKnown reports whether the token was requested by a usable clock.
func (t *Token) ExpiryKnown() bool { return t.AskedAt != 0 }

// ExpiresAt is in Unix seconds, 0 where unknown.
func (t *Token) ExpiresAt() int64 {
	if !t.ExpiryKnown() {
		return 0
	}
	return t.AskedAt + t.Lifetime
}

// The value of Summary is three words, of which a call with a warm token reads two.
//
// first word:  AskedAt 40 bits | unused 12 | flags, from bit 4 on | marker 4
// second word: Epoch 30 bits | Lifetime 17 | RenewAfter 17
// third word:  Generation 32 bits | Owner 32
const (
	timeBits   = 40
	marker     = 0x6
	markerMask = 1<<4 - 1

	droppedBit      = 4
	rejectedBit     = 5
	obtainedBit     = 6
	forInputBit     = 7
	stepPreparedBit = 8
	preparedBit     = 9 // and two more

	lifeBits  = 17
	epochBits = 30

	// MaxLifetime bounds what can be stored: a day, the longest that is believed.
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
		bit(t.Dropped, droppedBit) | bit(t.Rejected, rejectedBit) | bit(t.Obtained, obtainedBit) |
		bit(t.ForInput, forInputBit) | bit(t.StepPrepared, stepPreparedBit) | uint64(t.Prepared)<<preparedBit
	second = uint64(t.Epoch)<<(2*lifeBits) | uint64(t.Lifetime)<<lifeBits | uint64(t.RenewAfter)
	return first, second
}

// FromWords reads what Words gave. It refuses what Words cannot have given.
func FromWords(first, second uint64) (t Token, ok bool) {
	const life = 1<<lifeBits - 1
	t = Token{
		AskedAt:      int64(first >> (64 - timeBits)),
		Dropped:      first>>droppedBit&1 == 1,
		Rejected:     first>>rejectedBit&1 == 1,
		Obtained:     first>>obtainedBit&1 == 1,
		ForInput:     first>>forInputBit&1 == 1,
		StepPrepared: first>>stepPreparedBit&1 == 1,
		Prepared:     Prepared(first >> preparedBit & 7),
		Epoch:        uint32(second >> (2 * lifeBits)),
		Lifetime:     int64(second >> lifeBits & life),
		RenewAfter:   int64(second & life),
	}
	ok = first&markerMask == marker && t.Prepared <= LastPrepared &&
		t.Lifetime <= MaxLifetime && t.RenewAfter <= t.Lifetime
	return t, ok
}

// Encode returns the value of Summary.
func (t *Token) Encode() []byte {
	first, second := t.Words()
	return words(first, second, uint64(t.Generation)<<32|uint64(t.Owner))
}

// Decode reads the value of Summary. It refuses what Encode cannot have given.
func Decode(b []byte) (t Token, ok bool) {
	if len(b) != 3*8 {
		return t, false
	}
	t, ok = FromWords(word(b, 0), word(b, 1))
	t.Generation, t.Owner = uint32(word(b, 2)>>32), uint32(word(b, 2))
	return t, ok
}

// Replaced is the token that was cached before, which may still be in an answer that
// is to come, and must not be shown.
type Replaced struct {
	Generation uint32
	Text       string
}

// Encode returns the value of Previous.
func (r *Replaced) Encode() []byte { return append(words(uint64(r.Generation)), r.Text...) }

// DecodeReplaced reads the value of Previous.
func DecodeReplaced(b []byte) (r Replaced) {
	if len(b) > 8 {
		r.Generation, r.Text = uint32(word(b, 0)), string(b[8:])
	}
	return r
}

// Note is what calls of one instance know of each other.
type Note struct {
	// ID is that of the call that obtains a token, or did last. It grows.
	ID uint32
	// Until is how long the others wait for it, in Unix seconds: 0 once it has ended.
	Until int64
	// LookedAt is when a call looked into the store within a back-off.
	LookedAt int64
}

// Encode returns the value of Pending.
func (n *Note) Encode() []byte { return words(uint64(n.ID), uint64(n.Until), uint64(n.LookedAt)) }

// DecodeNote reads the value of Pending.
func DecodeNote(b []byte) (n Note) {
	if len(b) == 3*8 {
		n.ID, n.Until, n.LookedAt = uint32(word(b, 0)), int64(word(b, 1)), int64(word(b, 2))
	}
	return n
}

func words(all ...uint64) (b []byte) {
	for _, w := range all {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
