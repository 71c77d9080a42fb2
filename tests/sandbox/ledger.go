package sandbox

import (
	"crypto/rand"
	"sync"
	"time"
)

// ledger knows the ids of the tokens that are good. Ids rather than times of
// issue, because those are whole seconds in a token and could not tell a
// revoked token from one issued later in the same second.
type ledger struct {
	mu   sync.Mutex
	good map[string]time.Time // expiry by token id
}

func newLedger() *ledger {
	return &ledger{good: make(map[string]time.Time)}
}

// add enters a new token and returns its id.
func (l *ledger) add(expiry time.Time) string {
	id := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune(time.Now())
	l.good[id] = expiry
	return id
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
	for id, expiry := range l.good {
		if !now.Before(expiry) {
			delete(l.good, id)
		}
	}
}
