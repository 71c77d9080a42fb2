package script

import (
	"encoding/json"
	"fmt"
	"math"

	"automatic-rostering/tests/conformance/scenario"
)

// Operation is an operation on the store, of a step.
type Operation struct {
	Op    string      `json:"op"`
	Key   string      `json:"key"`
	Value *string     `json:"value,omitempty"`
	TTL   json.Number `json:"ttl,omitempty"`
}

// Store returns the result of an operation on the store, as resume takes it.
func (s *Servers) Store(o Operation) (result map[string]any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	e, ok := s.take(store, o.Op, " ", o.Key)
	if !ok {
		return map[string]any{"failed": "not in the script"}
	}
	s.wrong = append(s.wrong, o.Differences(e.Store, s.Addresses)...)
	return e.Store.Result(s.Addresses)
}

// Differences returns how the operation differs from the expected one.
func (o *Operation) Differences(want *scenario.StoreExchange, servers scenario.Servers) (wrong []string) {
	compare := func(what string, got, want any) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("the %s of the store's %s is %v, not %v", what, o.Op, got, want))
		}
	}
	compare("operation", o.Op, want.Op)
	compare("key", o.Key, want.FullKey(servers))
	if want.Op == "get" {
		return wrong // clients may write a value and a ttl that say nothing
	}
	compare("ttl", number(o.TTL), number(want.TTL))
	if text, _ := want.FullValue(servers); o.Value == nil || !scenario.SameValue(*o.Value, text) {
		got, _ := json.Marshal(o.Value)
		wrong = append(wrong, fmt.Sprintf("the value of the store's %s is %s, not %s", o.Op, got, text))
	}
	return wrong
}

// Wait takes a step that waits.
func (s *Servers) Wait(seconds json.Number) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if e, ok := s.take(wait, seconds); ok && number(seconds) != number(e.Wait) {
		s.wrong = append(s.wrong, fmt.Sprintf("the wait is %s s, not %s s", seconds, e.Wait))
	}
}

// Has takes the token and the until of the step that is carried out next.
func (s *Servers) Has(token string, until *int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.expected) == 0 {
		return // the step is one too many
	}
	e := &s.expected[0]
	s.compare("token of the step for a "+kind(e), token, e.Has)
	if e.Until != nil && (until == nil || *until != *e.Until) {
		s.wrong = append(s.wrong, fmt.Sprintf("until is %s in the step for a %s, not %d", text(until), kind(e), *e.Until))
	}
}

func text(until *int64) string {
	if until == nil {
		return "missing"
	}
	return fmt.Sprint(*until)
}

// number is 0 for an omitted number: hosts write numbers in different ways.
func number(n json.Number) float64 {
	f, err := n.Float64()
	if n != "" && err != nil {
		return math.NaN() // equal to nothing
	}
	return f
}
