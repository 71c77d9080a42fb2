package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
)

// FullKey is the key that the operation must have.
func (e *StoreExchange) FullKey(servers Servers) string {
	key := cmp.Or(e.Key, servers.CacheKey())
	if e.Lock || e.Op == "add" {
		key += ":asking"
	}
	return key
}

// FullValue returns the value that add and set must pass, or that get returns, if any.
func (e *StoreExchange) FullValue(servers Servers) (text string, is bool) {
	switch {
	case e.Text != nil:
		return *e.Text, true
	case e.Value != nil:
		return string(e.Value), true
	case e.Token != nil:
		token := map[string]json.RawMessage{"access_token": quote(defaultToken), "token_type": quote("Bearer")}
		token["cache_key"] = quote(cmp.Or(e.Key, servers.CacheKey()))
		maps.Copy(token, e.Token)
		maps.DeleteFunc(token, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
		b, err := json.Marshal(token)
		if err != nil {
			panic(err) // it was decoded from JSON
		}
		return string(b), true
	case e.Op == "add":
		return `{"state":"asking"}`, true
	case e.Op == "set":
		return `{"state":"done"}`, true
	}
	return "", false
}

// FullTTL returns the time to live that add and set must pass, in seconds.
func (e *StoreExchange) FullTTL() json.Number {
	if e.TTL == "" && e.Op != "get" {
		return map[string]json.Number{"add": "10", "set": "1"}[e.Op]
	}
	return e.TTL
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
