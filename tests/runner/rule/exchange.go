package rule

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
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
	// Times and Exchanges repeat a sequence instead.
	Times     int
	Exchanges []Exchange

	// Has is the access token that the step must have, if any, and Until until when, if that matters.
	Has   string
	Until *int64
}

// UnmarshalJSON reads an object whose kind is a field, or a kind alone, which means its defaults: "token".
func (e *Exchange) UnmarshalJSON(b []byte) (err error) {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(b, &e.Kind) == nil {
		fields[e.Kind] = json.RawMessage("{}")
	} else if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	kinds := 0
	for field, value := range fields {
		into, isOther := map[string]any{"times": &e.Times, "exchanges": &e.Exchanges, "has": &e.Has, "until": &e.Until}[field]
		switch field {
		case "token", "jobs":
			e.HTTP = &HTTP{}
			into = e.HTTP
		case "get", "set", "lock", "add", "unlock":
			e.Store = &StoreOp{kind: field}
			into = e.Store
		case "wait":
			into = &e.Seconds
		}
		if err := json.Unmarshal(value, into); err != nil {
			return fmt.Errorf("%s of an exchange: %w", field, err)
		}
		if !isOther {
			kinds, e.Kind = kinds+1, field
		}
	}
	switch {
	case kinds > 1 || (kinds == 0) == (e.Times == 0):
		return errors.New("an exchange is one of token, jobs, get, set, lock, add, unlock and wait, or times and exchanges")
	case e.Kind == "token":
		e.HTTP.setTokenDefaults()
	case e.Kind == "jobs":
		e.HTTP.setJobsDefaults()
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

	// With is the access token of a request to the service.
	With string `json:"with"`

	// Form overrides fields of a token request's default form, unless there is a Body. Gives is the access
	// token in the response, and ExpiresIn its lifetime, unless there is a Response.
	Form struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		Scope        string `json:"scope"`
	} `json:"form"`
	Gives     string          `json:"gives"`
	ExpiresIn json.RawMessage `json:"expires_in"`
}

// UnmarshalJSON also reads the status of the response alone, or the access token.
func (h *HTTP) UnmarshalJSON(b []byte) error {
	type plain HTTP
	switch b[0] {
	case '{':
		return strict(b, (*plain)(h))
	case '"':
		err := json.Unmarshal(b, &h.With)
		h.Gives = h.With
		return err
	}
	h.Response = &Response{}
	return json.Unmarshal(b, h.Response)
}

const (
	defaultToken   = TokenPrefix + "0001"
	defaultRequest = "1800000000" // when the token in the store was requested
)

// setTokenDefaults makes it the token request of the default config.
func (h *HTTP) setTokenDefaults() {
	h.Method, h.Path = "POST", cmp.Or(h.Path, "/connect/token")
	h.setHeaders("Content-Type", "application/x-www-form-urlencoded")
	if h.Body == "" {
		h.Body = "grant_type=client_credentials&client_id=" + url.QueryEscape(cmp.Or(h.Form.ClientID, "client-1")) +
			"&client_secret=" + url.QueryEscape(cmp.Or(h.Form.ClientSecret, Secret)) +
			"&scope=" + url.QueryEscape(cmp.Or(h.Form.Scope, "automatic-rostering-stage"))
	}
	if h.Response == nil {
		response := map[string]any{"access_token": cmp.Or(h.Gives, defaultToken), "token_type": "Bearer", "expires_in": 3600}
		if h.ExpiresIn != nil {
			response["expires_in"] = h.ExpiresIn
		}
		h.Response = &Response{JSON: encode(response)}
	}
}

// setJobsDefaults makes it the request to the service of the default config.
func (h *HTTP) setJobsDefaults() {
	h.Method, h.Path = cmp.Or(h.Method, "GET"), cmp.Or(h.Path, "/jobs")
	h.setHeaders("Authorization", "Bearer "+cmp.Or(h.With, defaultToken), "CUSTOMER_ID", "customer-1", "USER_ID", "user-1")
	if h.Response == nil {
		h.Response = &Response{JSON: json.RawMessage(`{"made": "up"}`)}
	}
}

// setHeaders adds the default headers, by name and value, that it does not override.
func (h *HTTP) setHeaders(defaults ...string) {
	if h.Headers == nil {
		h.Headers = map[string]*string{}
	}
	for pair := range slices.Chunk(defaults, 2) {
		if _, is := h.Headers[pair[0]]; !is {
			h.Headers[pair[0]] = &pair[1]
		}
	}
}

// Response is what a server responds.
type Response struct {
	Status  int               `json:"status"` // default: 200
	Headers map[string]string `json:"headers"`
	// One of these: a JSON value, a string, or bytes in base64.
	JSON   json.RawMessage `json:"json"`
	Body   *string         `json:"body"`
	Base64 string          `json:"base64"`
	// Drop closes the connection instead of responding. Gzip compresses the body, if the client accepts that.
	Drop bool `json:"drop"`
	Gzip bool `json:"gzip"`
	// Raw is written in place of a response, before the connection is closed unless Keep is set; REQUEST in it is the body and the
	// Authorization of the request. Zeros are that many MiB of zeros after it, compressed as many times as Zipped says; then
	// Endless is repeated until the client leaves, every so many seconds; without it, nothing more comes.
	Raw     *string `json:"raw"`
	Keep    bool    `json:"keep"`
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
	switch {
	case r.JSON != nil:
		return r.JSON
	case r.Body != nil:
		return []byte(*r.Body)
	}
	b, err := base64.StdEncoding.DecodeString(r.Base64)
	if err != nil {
		panic(err)
	}
	return b
}

// StoreOp is an operation on the shared store: on the token of the default config's client, or on its lock.
type StoreOp struct {
	// What get returns (default: null), or what add and set must pass: a JSON value, a string, or
	// fields that override those of a token object with token-0001.
	Value json.RawMessage            `json:"value"`
	Text  *string                    `json:"text"`
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
	if state != "" && o.Text == nil && o.Value == nil {
		o.Value = encode(map[string]string{"state": state})
		o.TTL = cmp.Or(o.TTL, map[string]float64{"add": 10, "unlock": 1}[o.kind])
	}
	if o.Op == "set" && o.Token != nil {
		o.TTL = cmp.Or(o.TTL, 3600)
	}
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
	if o.Value == nil && o.Token == nil {
		return o.Text
	}
	text := string(o.Value)
	if o.Token != nil {
		token := map[string]any{
			"access_token": defaultToken, "token_type": "Bearer", "expires_at": json.RawMessage(startExpiry), "cache_key": cacheKey,
			"requested_at": json.RawMessage(defaultRequest),
		}
		for field, value := range o.Token {
			if token[field] = value; string(value) == "null" {
				delete(token, field)
			}
		}
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
