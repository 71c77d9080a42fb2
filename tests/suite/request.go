package suite

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

// request is what an adapter gets for a step.
func (w *world) request(s *Step) (r protocol.Request, err error) {
	r = protocol.Request{
		Op: s.Do, Client: w.client(cmp.Or(s.Client, "c")), Key: w.fill(s.Key), Value: s.Value, TTL: s.TTL,
		Call: protocol.Call{Force: s.Force, Refused: s.Refused, Secret: w.fill(s.Secret), Retry: s.Retry},
	}
	if s.Open != nil {
		r.Op, r.Client = "open", w.client(*s.Open)
		if err := w.open(s, &r); err != nil {
			return r, err
		}
	} else if now := start + s.At; r.Op != "close" {
		r.Now = &now
	}
	if r.Op == "store" {
		r.Do, r.Store = s.Op, w.storeOf(s.Store)
	}
	for _, field := range []struct {
		from any
		to   *json.RawMessage
	}{{s.Timeout, &r.Timeout}, {s.Customer, &r.CustomerID}, {s.User, &r.UserID}} {
		if field.from == nil {
			continue
		}
		if text, ok := field.from.(string); ok {
			field.from = w.fill(text)
		}
		if field.from == "none" {
			field.from = nil
		}
		if *field.to, err = json.Marshal(field.from); err != nil {
			return r, err
		}
	}
	if s.Token != nil {
		if r.Token, err = json.Marshal(s.Token); err != nil {
			return r, err
		}
		r.Token = json.RawMessage(w.fill(string(r.Token)))
	}
	if s.Request != nil {
		r.Request, err = w.http(s.Request)
	}
	return r, err
}

func (w *world) open(s *Step, r *protocol.Request) error {
	r.Open = protocol.Open{MaxBody: s.MaxBody, UserAgent: s.UserAgent, Log: s.LogMode, Clock: true, Headers: s.Headers, Store: w.storeOf(s.Store)}
	if s.Wasm != "" {
		r.Wasm = hosts.Plugin(w, s.Wasm)
	}
	if s.Plugin != nil {
		module, err := s.Plugin.module()
		r.Wasm = filepath.Join(w.TempDir(), "plugin.wasm")
		if err := errors.Join(err, os.WriteFile(r.Wasm, []byte(module), 0o600)); err != nil {
			return err
		}
	}
	if s.Variables != nil {
		r.Variables = w.merged("ROSTERING_ENVIRONMENT", "ROSTERING_AUTH_URL", "ROSTERING_BASE_URL", "ROSTERING_CLIENT_ID",
			"ROSTERING_CLIENT_SECRET", "ROSTERING_CUSTOMER_ID", "ROSTERING_USER_ID")(s.Variables)
		return nil
	}
	r.Config = w.merged("environment", "auth_url", "base_url", "client_id", "client_secret", "customer_id", "user_id")(s.Config)
	return nil
}

// merged merges values into the default ones of a config, in this order of its keys.
func (w *world) merged(keys ...string) func(map[string]string) map[string]string {
	defaults := []string{"stage", w.servers["auth"].URL, w.servers["service"].URL, "client-1", held.Secret, "customer-1", "user-1"}
	return func(values map[string]string) map[string]string {
		all := map[string]string{}
		for i, key := range keys {
			all[key] = defaults[i]
		}
		for key, value := range values {
			if all[key] = w.fill(value); value == "" {
				delete(all, key)
			}
		}
		return all
	}
}

// storeOf is a store of the case alone, unless it has a name.
func (w *world) storeOf(s *protocol.Store) *protocol.Store {
	if s == nil {
		return nil
	}
	kind := s.Kind
	if kind == "each" {
		kind = w.kind
	}
	store := &protocol.Store{Name: w.client(cmp.Or(s.Name, kind)), Kind: kind}
	switch kind {
	case "http":
		store.URL = w.store.URL
	case "redis":
		store.URL = w.redis(w.TB)
	case "folder":
		store.Folder = w.folder
	}
	return store
}

func (w *world) http(r *Request) (*protocol.HTTP, error) {
	h := &protocol.HTTP{Method: r.Method, URL: w.fill(r.URL), Headers: map[string]string{}, Query: r.Query, Once: r.Once}
	for name, value := range r.Headers {
		h.Headers[name] = w.fill(value)
	}
	if r.Path != nil {
		path := w.fill(*r.Path)
		h.Path = &path
	}
	if r.Body != nil {
		h.Body = []byte(w.fill(*r.Body))
	}
	var err error
	if r.JSON != nil {
		h.JSON, err = json.Marshal(r.JSON)
	}
	return h, err
}
