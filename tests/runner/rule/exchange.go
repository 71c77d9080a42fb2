package rule

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Exchange is the next thing that the plugin must ask of its host, and the response.
type Exchange struct {
	// Kind is token, jobs, get, set, lock, add, unlock or wait. HTTP is of the first two, Seconds of the last, Store of the others.
	Kind    string
	HTTP    *HTTP
	Store   *StoreOp
	Seconds float64

	// Has is the access token that the step must have, if any, and Until until when, if that matters.
	Has   string
	Until *int64
}

// UnmarshalJSON reads an object whose kind is a field, or a kind alone, which means its defaults: "token".
func (e *Exchange) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		b = fmt.Appendf(nil, "{%s:{}}", b)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	for field, value := range fields {
		into := map[string]any{"has": &e.Has, "until": &e.Until, "wait": &e.Seconds}[field]
		switch field {
		case "token", "jobs":
			e.HTTP = &HTTP{}
			into = e.HTTP
		case "get", "set", "lock", "add", "unlock":
			e.Store = &StoreOp{kind: field}
			into = e.Store
		}
		if field != "has" && field != "until" {
			if e.Kind != "" {
				return fmt.Errorf("an exchange is %s or %s, not both", e.Kind, field)
			}
			e.Kind = field
		}
		if err := json.Unmarshal(value, into); err != nil {
			return fmt.Errorf("%s of an exchange: %w", field, err)
		}
	}
	if e.HTTP != nil {
		e.HTTP.complete(e.Kind)
	}
	return nil
}

// HTTP is a request that a scripted server must get, and its response.
type HTTP struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	// Headers override the default ones; null removes one.
	Headers  map[string]*string `json:"headers"`
	Body     string             `json:"body"`
	Response *Response          `json:"response"`
	// With is the access token: that of a request to the service, or of the default response of the token endpoint, in which
	// ExpiresIn is its lifetime.
	With      string          `json:"with"`
	ExpiresIn json.RawMessage `json:"expires_in"`
}

// UnmarshalJSON also reads the status of the response alone, or the access token.
func (h *HTTP) UnmarshalJSON(b []byte) error {
	type plain HTTP
	switch b[0] {
	case '{':
		return strict(b, (*plain)(h))
	case '"':
		return json.Unmarshal(b, &h.With)
	}
	return json.Unmarshal(b, &h.Response)
}

const (
	defaultToken   = TokenPrefix + "0001"
	defaultRequest = "1800000000" // when the token in the store was requested
)

// complete makes it the token request, or the request to the service, of the default config.
func (h *HTTP) complete(kind string) {
	h.With = cmp.Or(h.With, defaultToken)
	method, path, response := "GET", "/jobs", json.RawMessage(`{"made": "up"}`)
	headers := map[string]*string{
		"Authorization": new("Bearer " + h.With), "CUSTOMER_ID": new("customer-1"), "USER_ID": new("user-1"),
	}
	if kind == "token" {
		method, path = "POST", "/connect/token"
		headers = map[string]*string{"Content-Type": new("application/x-www-form-urlencoded")}
		h.Body = cmp.Or(h.Body, "grant_type=client_credentials&client_id=client-1&client_secret="+url.QueryEscape(Secret)+
			"&scope=automatic-rostering-stage")
		if h.ExpiresIn == nil {
			h.ExpiresIn = json.RawMessage("3600")
		}
		response = encode(map[string]any{"access_token": h.With, "token_type": "Bearer", "expires_in": h.ExpiresIn})
	}
	maps.Copy(headers, h.Headers)
	h.Method, h.Path, h.Headers = cmp.Or(h.Method, method), cmp.Or(h.Path, path), headers
	if h.Response == nil {
		h.Response = &Response{Body: response}
	}
}

// Response is what a server responds.
type Response struct {
	Status  int               `json:"status"` // default: 200
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"` // see Text
	Base64  string            `json:"base64"`
	Gzip    bool              `json:"gzip"` // compresses the body, if the client accepts that
	// Raw is written in place of a response, before the connection is closed; REQUEST in it is the body and the Authorization of
	// the request. Zeros are that many MiB of zeros after it, compressed as many times as Zipped says; then Endless is repeated
	// until the client leaves, every so many seconds; without it, the connection serves later requests for so long.
	Raw     *string `json:"raw"`
	Zeros   int     `json:"zeros"`
	Zipped  int     `json:"zipped"`
	Endless string  `json:"endless"`
	Every   float64 `json:"every"`
}

// UnmarshalJSON also reads a status alone.
func (r *Response) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &r.Status) == nil {
		return nil
	}
	type plain Response
	return strict(b, (*plain)(r))
}

// Bytes is the response's body.
func (r *Response) Bytes() []byte {
	if r.Body != nil {
		return Text(r.Body)
	}
	b, err := base64.StdEncoding.DecodeString(r.Base64)
	if err != nil {
		panic(err)
	}
	return b
}

// Text is a string, or the JSON text of another value.
func Text(value json.RawMessage) []byte {
	var text *string
	if json.Unmarshal(value, &text) != nil || text == nil {
		return value
	}
	return []byte(*text)
}

// StoreOp is an operation on the shared store: on the token of the default config's client, or on its lock.
type StoreOp struct {
	// What get returns (default: null), or what add and set must pass: a text, or fields that override those of a token object
	// with token-0001.
	Value json.RawMessage            `json:"value"`
	Token map[string]json.RawMessage `json:"token"`
	TTL   float64                    `json:"ttl"`
	// Added is what add returns; Failed is set if the store is down.
	Added  bool `json:"added"`
	Failed bool `json:"failed"`

	Op   string `json:"-"` // get, add or set
	kind string
}

// UnmarshalJSON also reads the short form, whose meaning depends on the kind, and completes it.
func (o *StoreOp) UnmarshalJSON(b []byte) (err error) {
	o.Op = cmp.Or(map[string]string{"lock": "get", "unlock": "set"}[o.kind], o.kind)
	state := map[string]string{"add": "requesting", "unlock": "done"}[o.kind]
	type plain StoreOp
	switch {
	case b[0] == '{':
		err = strict(b, (*plain)(o))
	case string(b) == `"failed"`:
		o.Failed = true
	case o.kind == "add":
		err = json.Unmarshal(b, &o.Added)
	case o.isLock():
		err = json.Unmarshal(b, &state)
	default:
		o.Token = map[string]json.RawMessage{"access_token": slices.Clone(b)}
	}
	if state != "" && o.Value == nil {
		o.Value = encode(map[string]string{"state": state})
	}
	o.TTL = cmp.Or(o.TTL, map[string]float64{"add": 10, "unlock": 1, "set": 3600}[o.kind])
	return err
}

// isLock reports whether it is an operation on the lock, not on the token.
func (o *StoreOp) isLock() bool { return o.kind != "get" && o.kind != "set" }

// HasKey reports whether a key is that of the operation, if the token has this one. The lock's ends in a number of the secret.
func (o *StoreOp) HasKey(key string, cacheKey string) bool {
	if rest, ok := strings.CutPrefix(key, cacheKey+":lock:"); o.isLock() {
		_, err := strconv.ParseUint(rest, 10, 16)
		return ok && err == nil
	}
	return key == cacheKey
}

// FullValue returns the value that add and set must pass, or that get returns, or nil.
func (o *StoreOp) FullValue(cacheKey string) *string {
	if o.Token == nil && o.Value == nil {
		return nil
	}
	text := string(Text(o.Value))
	if o.Token != nil {
		token := map[string]json.RawMessage{
			"access_token": encode(defaultToken), "token_type": encode("Bearer"), "expires_at": json.RawMessage(startExpiry),
			"cache_key": encode(cacheKey), "requested_at": json.RawMessage(defaultRequest),
		}
		maps.Copy(token, o.Token)
		maps.DeleteFunc(token, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
		text = string(encode(token))
	}
	return &text
}

// Result is what resume takes after the operation.
func (o *StoreOp) Result(cacheKey string) map[string]any {
	switch {
	case o.Failed:
		return map[string]any{"failed": "the store is down"}
	case o.Op == "get":
		return map[string]any{"value": o.FullValue(cacheKey)}
	case o.Op == "add":
		return map[string]any{"added": o.Added}
	}
	return map[string]any{}
}
