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
}

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

// State is all that an instance knows, except for its backoff.
type State struct {
	// Previous is the token before Token, which is used until UseFrom, in Unix seconds: a
	// service may learn of a new token late.
	Token, Previous Token
	UseFrom         int64
	// Overlaps counts how often the service refused Token during that time.
	Overlaps int64
	// Refused are the hashes of the last tokens that the service refused, latest first.
	Refused [4]int64
	// LookedAt is when a flow last looked into the store during a backoff.
	LookedAt int64
	// Clears counts the clear_tokens.
	Clears int64
	Counts
	// Prepared says that JobsRequest is prepared with Token, and ForInput that it is for the
	// ids in JobsIDs instead of those in the config.
	Prepared, ForInput bool
}

// Counts are what happened since the instance was created. clear_token keeps them.
type Counts struct {
	TokenRequests, FailedRequests, RefusedTokens, StoreFailures int64
	// LastRefused is the hash of the token that RefusedTokens counted last.
	LastRefused int64
	// StoreWarnedAt is when a warning about the store was last logged, in Unix seconds, or 0.
	StoreWarnedAt int64
}

// CountRefused counts a refused token, once.
func (s *State) CountRefused(hash int64) {
	if s.LastRefused != hash && !s.Refuses(hash) {
		s.RefusedTokens++
	}
	s.LastRefused = hash
}

// Refuse remembers a refused token.
func (s *State) Refuse(hash int64) {
	s.Forgive(hash)
	copy(s.Refused[1:], s.Refused[:])
	s.Refused[0] = hash
}

// Forgive forgets that a token was refused.
func (s *State) Forgive(hash int64) {
	for i, h := range s.Refused {
		if h == hash {
			copy(s.Refused[i:], s.Refused[i+1:])
			s.Refused[len(s.Refused)-1] = 0
		}
	}
}

// Refuses reports whether a token was refused.
func (s *State) Refuses(hash int64) bool {
	return hash != 0 && slices.Contains(s.Refused[:], hash)
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
	timeShift   = 24
)

// Warm is what the first two words say.
type Warm struct {
	From, Until        int64
	Prepared, ForInput bool
}

// ReadWarm decodes the first two words of Summary.
func ReadWarm(first, second uint64) (w Warm) {
	if first&0xff == marker {
		w = Warm{int64(first >> timeShift), int64(second), first>>preparedBit&1 == 1, first>>forInputBit&1 == 1}
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

// words lists what Summary has after its first two words.
func (s *State) words() []*int64 {
	t, p, r := &s.Token, &s.Previous, &s.Refused
	return []*int64{
		&t.Hash, &t.RequestedAt, &t.ExpiresAt, &t.Margin,
		&p.Hash, &p.RequestedAt, &p.ExpiresAt, &p.Margin,
		&s.UseFrom, &s.Overlaps, &r[0], &r[1], &r[2], &r[3], &s.LookedAt, &s.Clears,
		&s.TokenRequests, &s.FailedRequests, &s.RefusedTokens, &s.StoreFailures, &s.LastRefused, &s.StoreWarnedAt,
	}
}

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
	b := binary.LittleEndian.AppendUint64(nil, first)
	b = binary.LittleEndian.AppendUint64(b, uint64(until))
	for _, n := range s.words() {
		b = binary.LittleEndian.AppendUint64(b, uint64(*n))
	}
	return b
}

// most is beyond every hash, time and count.
const most = 1 << 48

// Decode decodes the value of Summary. Anything else becomes an empty state.
func Decode(b []byte) *State {
	s := &State{}
	words := s.words()
	if len(b) != 8*(2+len(words)) || b[0] != marker {
		return s
	}
	for i, n := range words {
		*n = int64(binary.LittleEndian.Uint64(b[8*(2+i):]))
		if *n < 0 || *n > most {
			return &State{}
		}
	}
	w := ReadWarm(binary.LittleEndian.Uint64(b), 0)
	s.Prepared, s.ForInput = w.Prepared, w.ForInput
	return s
}
