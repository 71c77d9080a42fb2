package world

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Store is a shared store with a Server before it.
type Store struct {
	*Server

	mutex  sync.Mutex
	values map[string]value
}

type value struct {
	text    string
	expires time.Time
}

func newStore(over *tls.Config) *Store {
	s := &Store{values: map[string]value{}}
	s.Server = newServer(s.serve, over)
	return s
}

// serve responds with the value of a key, or null, or whether it was added.
func (s *Store) serve(w http.ResponseWriter, _ *http.Request, body []byte) {
	var o struct {
		Op, Key, Value string
		TTL            float64
	}
	var result any
	s.mutex.Lock()
	defer s.mutex.Unlock()
	err := json.Unmarshal(body, &o)
	old, there := s.values[o.Key]
	there = there && time.Now().Before(old.expires)
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case o.Op == "get" && there:
		result = old.text
	case o.Op == "get":
	case o.Op == "add" && there:
		result = false
	default:
		s.values[o.Key] = value{o.Value, time.Now().Add(time.Duration(o.TTL * float64(time.Second)))}
		result = true
	}
	_ = json.NewEncoder(w).Encode(result)
}

// Has returns an error unless a value has this part, or the part is empty.
func (s *Store) Has(part string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, v := range s.values {
		if strings.Contains(v.text, part) {
			return nil
		}
	}
	if part == "" {
		return nil
	}
	return errors.New("the store has no " + part)
}
