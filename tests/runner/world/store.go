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

type operation struct {
	Op    string  `json:"op"`
	Key   string  `json:"key"`
	Value string  `json:"value"`
	TTL   float64 `json:"ttl"`
}

func newStore(over *tls.Config) *Store {
	s := &Store{values: map[string]value{}}
	s.Server = newServer(s.serve, over)
	return s
}

func (s *Store) serve(w http.ResponseWriter, _ *http.Request, body []byte) {
	var o operation
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if json.Unmarshal(body, &o) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	json.NewEncoder(w).Encode(s.do(o))
}

// do returns the value of a key, or null, or whether it was added.
func (s *Store) do(o operation) any {
	now := time.Now()
	there, ok := s.values[o.Key]
	ok = ok && now.Before(there.expires)
	switch {
	case o.Op == "get" && ok:
		return there.text
	case o.Op == "get":
		return nil
	case o.Op == "add" && ok:
		return false
	}
	s.values[o.Key] = value{o.Value, now.Add(time.Duration(o.TTL * float64(time.Second)))}
	return true
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
