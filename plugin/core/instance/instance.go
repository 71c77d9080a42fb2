// Package instance is what an instance of the plugin knows from one call to the next: its tokens,
// in use and refused, and what it counted; and the vars that keep it.
package instance

import (
	"encoding/binary"

	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/clock"
)

// The vars, with all that outlives a call. Names have exactly 8 bytes, which a guest writes in one host call.
const (
	// Summary is what is known about the instance's tokens, of fixed size: see State.
	Summary = "ar-state"
	// TokenObject is the token object that get_token returns, Previous the one before it.
	TokenObject = "ar-token"
	Previous    = "ar-prev."
	// Retry has the error of the backoff: the members of the JSON object that the host got,
	// except retry_after.
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
	// Stamp is its requested_at in the store, which may be in the future.
	Stamp int64
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

// State is all that an instance knows. Summary has its numbers in this order.
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
	Backoff                   backoff.Record
	// Shared identifies the last failure that another instance shared, and SeenAt is when this
	// one first saw it.
	Shared, SeenAt int64
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

// Usable reports whether a token can be used at a time: it was not refused, has not expired, and was
// not requested in the future, as if the clock was set back.
func (s *State) Usable(t *Token, now int64) bool {
	return t.Hash != 0 && now < t.ExpiresAt && t.RequestedAt <= now+clock.Tolerance && !s.Refuses(t.Hash)
}
