// Package instance is what an instance of the plugin knows from one call to the next: its tokens,
// in use and refused, and what it counted; and the vars that keep it.
package instance

import (
	"encoding/binary"
	"slices"

	"automatic-rostering.example/rostering/plugin/core/clock"
)

// The vars, with all that outlives a call. Names have exactly 8 bytes, which a guest writes in one host call.
const (
	// Summary is what is known about the instance's tokens, of fixed size: see State.
	Summary = "ar-state"
	// TokenObject is the token object that get_token returns, Previous the one before it.
	TokenObject = "ar-token"
	Previous    = "ar-prev."
	// Retry is the backoff: see package backoff.
	Retry = "ar-retry"
	// JobsRequest is the complete /jobs request with token and ids: the input of
	// http_request. JobsIDs names the ids of the input for which it was prepared, and
	// LogLine is the line that is logged for a 200 to it.
	JobsRequest = "ar-jobs."
	JobsIDs     = "ar-ids.."
	LogLine     = "ar-log.."
)

// All lists every var except Summary, for clear_token.
var All = [...]string{TokenObject, Previous, Retry, JobsRequest, JobsIDs, LogLine}

// MaxLifetime is the longest lifetime of a token, in seconds: a day.
const MaxLifetime = 86400

// Token is what is known about a token. The zero value means no token. Times are Unix seconds.
type Token struct {
	Hash int64 // of the access token
	// RequestedAt is just before its request was sent, by this instance or another one; 0 if
	// there was no usable clock. Then ExpiresAt is 0, too.
	RequestedAt, ExpiresAt int64
	// Margin is how many seconds before its expiry the token is renewed.
	Margin int64
	// Patience is how old the token must be before a refusal replaces it, in seconds; 0 for the
	// least, or NoPatience. Worked says whether the service accepted it.
	Patience, Worked int64
}

// Whether the service accepted a token. Only direct calls know that it did since the last 401.
const (
	neverWorked = iota
	worked
	WorkedSince
)

// Hash returns 48 bits of a 64-bit FNV-1a hash of a text, so that a JSON number represents it
// in every language. It is 0 only for "".
func Hash(text string) int64 {
	if text == "" {
		return 0
	}
	h := uint64(14695981039346656037) // FNV-1a, over words
	b := []byte(text + "\x00\x00\x00\x00\x00\x00\x00")
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 1099511628211
		h ^= h >> 32
	}
	return int64(h>>16 | 1)
}

// RenewAt returns when the token is renewed.
func (t *Token) RenewAt() int64 { return t.ExpiresAt - t.Margin }

// State is all that an instance knows, except for its backoff. Summary has its numbers in this order.
type State struct {
	// Previous is the token before Token, which is used until UseFrom, in Unix seconds: a
	// service may learn of a new token late.
	Token, Previous Token
	UseFrom         int64
	// Overlaps counts how often the service refused Token during that time.
	Overlaps int64
	// Refused are the last tokens that the service refused and that were replaced.
	Refused hashes
	// RefusedAt is when a refused token was last replaced or stayed, and Stayed the last that did.
	RefusedAt, Stayed int64
	// NextPatience is the patience of the next token, and OwnPatience that of tokens that worked.
	NextPatience, OwnPatience int64
	// Failure identifies the last failure that another instance shared, and SeenAt is when this
	// one first saw it.
	Failure, SeenAt int64
	// LookedAt is when a flow last looked into the store during a backoff.
	LookedAt int64
	// Clears counts the clear_tokens.
	Clears int64
	Counts
	// Prepared says that JobsRequest is prepared with Token, and ForInput that it is for the
	// ids in JobsIDs instead of those in the config.
	Prepared, ForInput bool
}

// Clear forgets all but the Counts, and counts itself.
func (s *State) Clear() {
	clears := s.Clears + 1
	clear(Words(&s.Token.Hash, &s.Clears))
	s.Clears, s.Prepared = clears, false
}

// Counts are what happened since the instance was created. clear_token keeps them.
type Counts struct {
	TokenRequests, FailedRequests, RefusedTokens, StoreFailures int64
	// Counted are the tokens that RefusedTokens counted last.
	Counted hashes
	// StoreWarnedAt is when a warning about the store was last logged, in Unix seconds, or 0.
	StoreWarnedAt int64
}

// CountRefused counts a refused token, once.
func (s *State) CountRefused(hash int64) {
	if !s.Counted.has(hash) {
		s.RefusedTokens++
	}
	s.Counted.add(hash)
}

// hashes are those of a few tokens, latest first.
type hashes [4]int64

func (h *hashes) has(hash int64) bool { return hash != 0 && slices.Contains(h[:], hash) }

func (h *hashes) add(hash int64) {
	h.remove(hash)
	copy(h[1:], h[:])
	h[0] = hash
}

func (h *hashes) remove(hash int64) {
	if i := slices.Index(h[:], hash); i >= 0 {
		copy(h[i:], h[i+1:])
		h[len(h)-1] = 0
	}
}

// Refuse remembers a refused token.
func (s *State) Refuse(hash int64) { s.Refused.add(hash) }

// Forgive forgets that a token was refused.
func (s *State) Forgive(hash int64) { s.Refused.remove(hash) }

// Refuses reports whether a token was refused.
func (s *State) Refuses(hash int64) bool { return s.Refused.has(hash) }

// A refused token may be one of which the service, or a part of it, does not know yet. So it stays
// until its patience is over, in seconds.
const (
	leastPatience = 10
	MostPatience  = 360
	// NoPatience is that with a token from set_token, which may have been revoked long ago.
	NoPatience = -1
	// growth is how many times longer the patience of the next token is if one was replaced
	// before it was ripe times as old as its own.
	growth = 6
	ripe   = 2
	// workedPart is the part of its patience that a token needs that the service accepted.
	workedPart = 5
)

// Stays returns for how many seconds more Token stays although the service refuses it.
func (s *State) Stays(now int64) int64 {
	return max(min(s.Token.RequestedAt, now)+s.needs()-now, 0) // the clock may have been set back
}

func (s *State) needs() int64 {
	switch t := &s.Token; {
	case t.Patience == NoPatience:
		return 0
	case t.Worked != neverWorked:
		return max(s.OwnPatience, leastPatience) / workedPart
	default:
		return max(t.Patience, leastPatience)
	}
}

// Refusal notes that the service refused Token, and reports whether it stays nevertheless.
func (s *State) Refusal(now int64, used bool) (stays bool) {
	t := &s.Token
	wrong := t.Worked == WorkedSince && s.Stayed == t.Hash // an earlier 401 was
	if used || t.Worked == WorkedSince {
		t.Worked = worked
	}
	if stays = wrong || s.Stays(now) > 0; stays {
		s.Stayed = t.Hash
	}
	return stays
}

// Replace determines the patience of the token that replaces Token. That of tokens that worked
// is the instance's own: the others may have no such trouble.
func (s *State) Replace(now int64) {
	next, patience, early := &s.NextPatience, s.Token.Patience, now < s.Token.RequestedAt+ripe*s.needs()
	if s.Token.Worked != neverWorked {
		s.NextPatience = 0
		next, patience = &s.OwnPatience, s.OwnPatience
	}
	*next = 0
	if early {
		*next = min(growth*max(patience, leastPatience), MostPatience)
	}
}

// Usable reports whether a token can be used at a time: it was not refused, has not expired, and was
// not requested in the future, as if the clock was set back.
func (s *State) Usable(t *Token, now int64) bool {
	return t.Hash != 0 && now < t.ExpiresAt && t.RequestedAt <= now+clock.Tolerance && !s.Refuses(t.Hash)
}

// The value of Summary is a number of words. A warm call reads the first two, which say from
// when until when the token may be used without further ado.
//
// first word:  from 40 bits | flags, from bit 8 on | marker 8
// second word: until
const (
	marker      = 0x71
	preparedBit = 8
	forInputBit = 9
	workedBit   = 10
	timeShift   = 24
)

// Warm is what the first two words say.
type Warm struct {
	From, Until        int64
	Prepared, ForInput bool
	WorkedSince        bool
}

// ReadWarm decodes the first two words of Summary.
func ReadWarm(first, second uint64) (w Warm) {
	if first&0xff == marker {
		bit := func(n int) bool { return first>>n&1 == 1 }
		w = Warm{int64(first >> timeShift), int64(second), bit(preparedBit), bit(forInputBit), bit(workedBit)}
	}
	return w
}

// warm returns from when until when the token may be used without further ado.
func (s *State) warm() (from, until int64) {
	t := &s.Token
	if t.Hash == 0 || t.ExpiresAt == 0 || s.Refuses(t.Hash) {
		return 0, 0
	}
	from = max(t.RequestedAt-clock.Tolerance, 0)
	if s.Previous.Hash != 0 {
		from = max(from, s.UseFrom)
	}
	return from, t.RenewAt()
}

// words is what Summary has after its first two words.
func (s *State) words() []int64 { return Words(&s.Token.Hash, &s.StoreWarnedAt) }

// Encode returns the value of Summary.
func (s *State) Encode() []byte {
	from, until := s.warm()
	first := uint64(from)<<timeShift | marker
	if s.Prepared {
		first |= 1 << preparedBit
	}
	if s.ForInput {
		first |= 1 << forInputBit
	}
	if s.Token.Worked == WorkedSince {
		first |= 1 << workedBit
	}
	b := binary.LittleEndian.AppendUint64(nil, first)
	b = binary.LittleEndian.AppendUint64(b, uint64(until))
	for _, n := range s.words() {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// most is beyond every number, and sums of it are numbers. The least of all numbers is NoPatience.
const most = 1 << 61

// Decode decodes the value of Summary. Anything else becomes an empty state.
func Decode(b []byte) *State {
	s := &State{}
	words := s.words()
	if len(b) != 8*(2+len(words)) || b[0] != marker {
		return s
	}
	for i := range words {
		words[i] = int64(binary.LittleEndian.Uint64(b[8*(2+i):]))
		if words[i] < NoPatience || words[i] > most {
			return &State{}
		}
	}
	w := ReadWarm(binary.LittleEndian.Uint64(b), 0)
	s.Prepared, s.ForInput = w.Prepared, w.ForInput
	return s
}
