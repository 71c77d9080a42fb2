package rostering

import (
	"context"
	"sync"
	"time"
)

// Store is a key-value store with expiry, through which clients share a token. Anyone who can
// read it can call the service, and anyone who can write to it chooses which token is sent.
//
// When a store fails, the call continues without it, and a warning is logged once a minute. A
// method has a second: then its context ends, and the method counts as failed.
type Store interface {
	// Get returns the value of a key, and whether the key has one.
	Get(ctx context.Context, key string) (value string, found bool, err error)
	// Add sets a key unless it has a value, atomically, and reports whether it did. The
	// value expires after ttl.
	Add(ctx context.Context, key, value string, ttl time.Duration) (added bool, err error)
	// Set sets a key. The value expires after ttl.
	Set(ctx context.Context, key, value string, ttl time.Duration) error
}

// MemoryStore is a [Store] for the clients in one process. The zero value is ready to use.
type MemoryStore struct {
	mutex   sync.Mutex
	entries map[string]entry
}

type entry struct {
	value   string
	expires time.Time
}

// Get implements [Store].
func (m *MemoryStore) Get(_ context.Context, key string) (string, bool, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	e := m.entries[key]
	return e.value, time.Now().Before(e.expires), nil
}

// Add implements [Store].
func (m *MemoryStore) Add(_ context.Context, key, value string, ttl time.Duration) (bool, error) {
	return m.put(key, value, ttl, false), nil
}

// Set implements [Store].
func (m *MemoryStore) Set(_ context.Context, key, value string, ttl time.Duration) error {
	m.put(key, value, ttl, true)
	return nil
}

func (m *MemoryStore) put(key, value string, ttl time.Duration, replace bool) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if !replace && time.Now().Before(m.entries[key].expires) {
		return false
	}
	if m.entries == nil {
		m.entries = map[string]entry{}
	}
	m.entries[key] = entry{value, time.Now().Add(ttl)}
	return true
}
