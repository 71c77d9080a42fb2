package sandbox

import (
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"
)

// ledger has the ids of the valid tokens. Times of issue would not do: they are whole seconds,
// and could not distinguish a revoked token from one that was issued later in that second.
type ledger struct {
	mu     sync.Mutex
	tokens map[string]validToken // by id
}

// validToken is a token that is neither expired nor revoked.
type validToken struct {
	Token   string    `json:"token"` // its short hash
	Expires time.Time `json:"expires_at"`
}

func newLedger() *ledger {
	return &ledger{tokens: make(map[string]validToken)}
}

// add adds a new token and returns its id.
func (l *ledger) add(expiry time.Time) string {
	id := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune(time.Now())
	l.tokens[id] = validToken{Expires: expiry}
	return id
}

// name sets the token that has an id.
func (l *ledger) name(id, token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t, ok := l.tokens[id]; ok {
		t.Token = shortHash(token)
		l.tokens[id] = t
	}
}

// valid returns the valid tokens, the newest last.
func (l *ledger) valid() []validToken {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune(time.Now())
	return slices.SortedFunc(maps.Values(l.tokens), func(a, b validToken) int { return a.Expires.Compare(b.Expires) })
}

func (l *ledger) has(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.tokens[id]
	return ok
}

// revoke removes all tokens.
func (l *ledger) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.tokens)
}

// prune removes expired tokens, which are refused for their expiry anyway.
func (l *ledger) prune(now time.Time) {
	for id, t := range l.tokens {
		if !now.Before(t.Expires) {
			delete(l.tokens, id)
		}
	}
}
