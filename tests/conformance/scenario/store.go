package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
)

// StoreExchange is an operation on the shared store: on the token of the default config's client, or on
// its lock.
type StoreExchange struct {
	Op   string `json:"-"` // get, add or set
	Lock bool   `json:"-"`
	// The value that get returns (default: null), or that add and set must pass: a JSON
	// value, a string, or a token object, whose fields are merged into those of token-0001.
	Value json.RawMessage            `json:"value"`
	Text  *string                    `json:"text"`
	Token map[string]json.RawMessage `json:"token"`
	TTL   json.Number                `json:"ttl"`
	// Added is what add returns; Failed is set if the store is down.
	Added  bool `json:"added"`
	Failed bool `json:"failed"`

	short json.RawMessage
}

// UnmarshalJSON also reads what says enough alone: see of.
func (e *StoreExchange) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		e.short = bytes.Clone(b)
		return nil
	}
	type plain StoreExchange
	return strict(b, (*plain)(e))
}

// of completes the operation of a kind, which may have been written in short: an access token for get and
// set, the state for lock and unlock, whether it was added for add, and failed for all.
func (e *StoreExchange) of(kind string) error {
	e.Op = map[string]string{"lock": "get", "unlock": "set"}[kind]
	e.Op, e.Lock = cmp.Or(e.Op, kind), kind != "get" && kind != "set"
	state := map[string]string{"add": "requesting", "unlock": "done"}[kind]
	switch {
	case e.short == nil:
	case string(e.short) == `"failed"`:
		e.Failed = true
	case kind == "add":
		if err := json.Unmarshal(e.short, &e.Added); err != nil {
			return err
		}
	case e.Lock:
		if err := json.Unmarshal(e.short, &state); err != nil {
			return err
		}
	default:
		e.Token = map[string]json.RawMessage{"access_token": e.short}
	}
	if state != "" && e.Text == nil && e.Value == nil {
		e.Value, _ = json.Marshal(map[string]string{"state": state})
		e.TTL = cmp.Or(e.TTL, map[string]json.Number{"add": "10", "unlock": "1"}[kind])
	}
	if e.Token != nil && e.Token["expires_at"] == nil {
		e.Token["expires_at"] = json.RawMessage(DefaultExpiry)
	}
	if e.Op == "set" && e.Token != nil {
		e.TTL = cmp.Or(e.TTL, "3600")
	}
	return e.check()
}

func (e *StoreExchange) check() error {
	values := 0
	for _, set := range []bool{e.Value != nil, e.Text != nil, e.Token != nil} {
		if set {
			values++
		}
	}
	switch {
	case values > 1:
		return errors.New("value, text and token exclude each other")
	case e.Op == "get" && e.TTL != "" || e.Op != "add" && e.Added:
		return errors.New("ttl is for add, set and unlock, and added for add")
	case e.Op == "set" && (values == 0 || e.TTL == ""):
		return errors.New("what is set, and for how long?")
	case e.Failed && (e.Added || e.Op == "get" && values > 0):
		return errors.New("a store that fails gives nothing")
	}
	return nil
}

// FullKey is the key that the operation must have.
func (e *StoreExchange) FullKey(servers Servers) string {
	if e.Lock {
		return servers.CacheKey() + ":lock"
	}
	return servers.CacheKey()
}

// FullValue returns the value that add and set must pass, or that get returns, if any.
func (e *StoreExchange) FullValue(servers Servers) (text string, is bool) {
	switch {
	case e.Text != nil:
		return *e.Text, true
	case e.Value != nil:
		return string(e.Value), true
	case e.Token == nil:
		return "", false
	}
	token := map[string]json.RawMessage{"access_token": quote(defaultToken), "token_type": quote("Bearer")}
	token["cache_key"] = quote(servers.CacheKey())
	maps.Copy(token, e.Token)
	maps.DeleteFunc(token, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	b, err := json.Marshal(token)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(b), true
}

// Result is what resume takes after the operation.
func (e *StoreExchange) Result(servers Servers) map[string]any {
	value, is := e.FullValue(servers)
	switch {
	case e.Failed:
		return map[string]any{"failed": "the store is down"}
	case e.Op == "add":
		return map[string]any{"added": e.Added}
	case e.Op == "set":
		return map[string]any{}
	case !is:
		return map[string]any{"value": nil}
	}
	return map[string]any{"value": value}
}

// quote writes a text as JSON, with no more escapes than it needs.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // text always has a form in JSON
	}
	return bytes.TrimSpace(b.Bytes())
}

// SameValue compares two values of a store: as JSON if they are that.
func SameValue(got, want string) bool {
	var gotJSON, wantJSON any
	if json.Unmarshal([]byte(got), &gotJSON) != nil || json.Unmarshal([]byte(want), &wantJSON) != nil {
		return got == want
	}
	return reflect.DeepEqual(gotJSON, wantJSON)
}
