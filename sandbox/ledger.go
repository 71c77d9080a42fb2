package sandbox

import (
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"
)

// ledger knows the ids of the tokens that are good. Ids rather than times of
// issue, because those are whole seconds in a token and could not tell a
// revoked token from one issued later in the same second.
type ledger struct {
	mu   sync.Mutex
	good map[string]validToken // by token id
}

// validToken is a token that is good.
type validToken struct {
	Token   string    `json:"token"` // its short hash
	Expires time.Time `json:"expires_at"`
}

func newLedger() *ledger {
	return &ledger{good: make(map[string]validToken)}
}

// add enters a new token and returns its id.
func (l *ledger) add(expiry time.Time) string {
	id := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune(time.Now())
	l.good[id] = validToken{Expires: expiry}
	return id
}

// name says which token has an id.
func (l *ledger) name(id, token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g, ok := l.good[id]; ok {
		g.Token = shortHash(token)
		l.good[id] = g
	}
}

// valid returns the tokens that are good, the newest last.
func (l *ledger) valid() []validToken {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune(time.Now())
	return slices.SortedFunc(maps.Values(l.good), func(a, b validToken) int { return a.Expires.Compare(b.Expires) })
}

func (l *ledger) has(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.good[id]
	return ok
}

// revoke strikes every token out.
func (l *ledger) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.good)
}

// prune drops expired tokens, which are refused for their expiry anyway.
func (l *ledger) prune(now time.Time) {
	for id, g := range l.good {
		if !now.Before(g.Expires) {
			delete(l.good, id)
		}
	}
}
