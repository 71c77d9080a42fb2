package held

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Store is a shared store with a Server before it.
type Store struct {
	*Server

	mutex  sync.Mutex
	down   bool
	values map[string]value
	change chan struct{} // closed at the next change
}

type value struct {
	text    string
	expires time.Time
}

type operation struct {
	Op    string  `json:"op"`
	Key   string  `json:"key"`
	Value string  `json:"value"`
	TTL   float64 `json:"ttl"`
}

// NewStore starts an empty store; it ends with the test.
func NewStore(t testing.TB) *Store {
	s := &Store{values: map[string]value{}, change: make(chan struct{})}
	s.Server = New(t, s.serve)
	return s
}

// Down says whether the store is down: every operation fails.
func (s *Store) Down(down bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.down = down
}

func (s *Store) serve(w http.ResponseWriter, _ *http.Request, body []byte) {
	var o operation
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if json.Unmarshal(body, &o) != nil || s.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	json.NewEncoder(w).Encode(s.do(o))
}

func (s *Store) do(o operation) map[string]any {
	now := time.Now()
	there, ok := s.values[o.Key]
	ok = ok && now.Before(there.expires)
	switch {
	case o.Op == "get" && ok:
		return map[string]any{"value": there.text}
	case o.Op == "get":
		return map[string]any{"value": nil}
	case o.Op == "add" && ok:
		return map[string]any{"added": false}
	}
	s.values[o.Key] = value{o.Value, now.Add(time.Duration(o.TTL * float64(time.Second)))}
	close(s.change)
	s.change = make(chan struct{})
	return map[string]any{"added": true}
}

// Wait waits until the value of a key that ends so holds a text.
func (s *Store) Wait(end, text string) {
	s.t.Helper()
	late := time.After(Patience)
	for {
		s.mutex.Lock()
		change := s.change
		for key, v := range s.values {
			if strings.HasSuffix(key, end) && strings.Contains(v.text, text) {
				s.mutex.Unlock()
				return
			}
		}
		s.mutex.Unlock()
		select {
		case <-change:
		case <-late:
			s.t.Fatalf("the store has no %q in …%s after %s", text, end, Patience)
		}
	}
}
