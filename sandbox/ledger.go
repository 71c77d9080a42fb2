package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

var (
	errUnknown = errors.New("the access token was not issued by this sandbox, or was revoked")
	errExpired = errors.New("the access token has expired")
)

// kept is how long an expired token is remembered, so that it is refused as expired, not as unknown.
const kept = 10 * time.Minute

// ledger has the tokens that were issued and not revoked. It compares whole tokens, so that a changed one is unknown.
type ledger struct {
	mu     sync.Mutex
	tokens map[[sha256.Size]byte]issuedToken
}

// issuedToken is what the page shows of a token.
type issuedToken struct {
	Token   string    `json:"token"` // its short hash
	Expires time.Time `json:"expires_at"`
	issued  time.Time
}

func newLedger() *ledger { return &ledger{tokens: map[[sha256.Size]byte]issuedToken{}} }

func (l *ledger) add(token string, expiry time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.tokens, func(_ [sha256.Size]byte, t issuedToken) bool { return time.Since(t.Expires) > kept })
	l.tokens[sha256.Sum256([]byte(token))] = issuedToken{shortHash(token), expiry, time.Now()}
}

// valid returns the valid tokens, the newest last.
func (l *ledger) valid() []issuedToken {
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens := []issuedToken{} // not nil, which in JSON would be null
	for _, t := range l.tokens {
		if time.Now().Before(t.Expires) {
			tokens = append(tokens, t)
		}
	}
	slices.SortFunc(tokens, func(a, b issuedToken) int { return a.Expires.Compare(b.Expires) })
	return tokens
}

// verify returns what is wrong with a token, or nil. The error does not contain the token.
func (l *ledger) verify(token string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	issued, ok := l.tokens[sha256.Sum256([]byte(token))]
	switch {
	case !ok:
		return errUnknown
	case !time.Now().Before(issued.Expires):
		return errExpired
	default:
		return nil
	}
}

// younger reports whether a request's token was issued less than so long ago.
func (l *ledger) younger(r *http.Request, than time.Duration) bool {
	token, _ := bearer(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	issued, ok := l.tokens[sha256.Sum256([]byte(token))]
	return ok && time.Since(issued.issued) < than
}

// revoke forgets all tokens.
func (l *ledger) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.tokens)
}

// shortHash returns a name for a token that shows nothing of it.
func shortHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}
