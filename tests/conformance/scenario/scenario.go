// Package scenario reads the scenarios: what must happen, as data. tests/scenarios/README.md
// documents their form.
package scenario

import (
	"encoding/json"
	"fmt"
)

// Scenario is one course of events on one instance of the plugin.
type Scenario struct {
	// Group is the name of its file, without the ending.
	Group string `json:"-"`
	Name  string `json:"name"`
	// Rule is the section of docs/contract.md that it shows, by its anchor.
	Rule string `json:"rule"`
	// Direct says that its direct calls do something that no flow does.
	Direct bool `json:"direct"`
	// Everywhere says that a host can go wrong with it, and not the core alone.
	Everywhere bool `json:"everywhere"`
	// Accepts is what the host of its flows can do in addition to requests: store.
	Accepts []string `json:"accepts"`
	// Config is merged into the default config; null removes a key.
	Config map[string]*string `json:"config"`
	Calls  []Call             `json:"calls"`

	// Raw is the scenario in its form as JSON.
	Raw json.RawMessage `json:"-"`
}

// FullName is the name with that of the group.
func (s *Scenario) FullName() string { return s.Group + "/" + s.Name }

// Call is a call of an export, a whole flow, or one step of a flow that has a name; and its expected end.
type Call struct {
	// Call is the export, or flow for a whole flow.
	Call string `json:"call"`
	// Begin names a flow that is only begun. Resume is the name of one that is resumed with the result of
	// its last step, or with Input if that is set; it continues as As, if that is set.
	Begin  string `json:"begin"`
	Resume string `json:"resume"`
	As     string `json:"as"`
	// Times is how often (default: 1).
	Times int `json:"times"`
	// Clock is now, null for none (default: DefaultNow). Now has its value.
	Clock json.RawMessage `json:"now"`
	// Now goes into the input, or "" for none.
	Now json.Number `json:"-"`
	// Input is the rest of the input.
	Input map[string]json.RawMessage `json:"input"`
	// RawInput is the whole input, instead of Now and Input.
	RawInput *string `json:"raw_input"`

	Exchanges []Exchange `json:"exchanges"`

	// One of these, or none: the output is the body of the last response, byte for byte.
	Token *Token          `json:"token"` // the output is a token object, or a step that is done with it
	Error json.RawMessage `json:"error"` // the error, in all its fields but message
	Lost  bool            `json:"lost"`  // a request gets no response: a trap, or network_error
	JSON  json.RawMessage `json:"json"`  // the output is this JSON value
	Empty bool            `json:"empty"` // the output is empty
	Step  *Exchange       `json:"step"`  // with Begin or Resume: the next step
	// Until is that of done, if it matters.
	Until *int64 `json:"until"`

	// Message must be part of the error's message.
	Message string `json:"message"`
	// Logs are the log lines, in order, on hosts that show them.
	Logs *[]string `json:"logs"`
}

// DefaultNow is the time of calls that set no other.
const DefaultNow = "1800000000"

func (c *Call) setNow() {
	switch {
	case c.Clock == nil && c.RawInput == nil && !c.withoutNow():
		c.Now = DefaultNow
	case c.Clock != nil && string(c.Clock) != "null":
		c.Now = json.Number(c.Clock)
	}
}

// withoutNow reports whether the export has no field now.
func (c *Call) withoutNow() bool {
	switch c.Call {
	case "request", "explain", "clear_token", "check", "version":
		return true
	}
	return false
}

// Partial reports whether the call is one step of a flow.
func (c *Call) Partial() bool { return c.Begin != "" || c.Resume != "" }

// Token is the token object that must come; token_type is always Bearer.
type Token struct {
	AccessToken string      `json:"access_token"`
	ExpiresAt   json.Number `json:"expires_at"`
	// CacheKey is compared if it is set.
	CacheKey string `json:"cache_key"`
}

// UnmarshalJSON also reads an access token alone, which expires at DefaultExpiry.
func (t *Token) UnmarshalJSON(b []byte) error {
	t.ExpiresAt = DefaultExpiry
	if json.Unmarshal(b, &t.AccessToken) == nil {
		return nil
	}
	type plain Token
	return strict(b, (*plain)(t))
}

// DefaultExpiry is that of a token that was requested at DefaultNow.
const DefaultExpiry = "1800003600"

// Exchange is the next thing that the plugin must ask of its host, and the response. It is one
// of these.
type Exchange struct {
	Token *TokenExchange `json:"token"`
	Jobs  *JobsExchange  `json:"jobs"`
	// The operations on the store: get and set are for the token, and lock, add and unlock for the lock.
	Get    *StoreExchange `json:"get"`
	Set    *StoreExchange `json:"set"`
	Lock   *StoreExchange `json:"lock"`
	Add    *StoreExchange `json:"add"`
	Unlock *StoreExchange `json:"unlock"`
	Wait   json.Number    `json:"wait"` // seconds
	// Store is Get, Set, Lock, Add or Unlock.
	Store *StoreExchange `json:"-"`

	// Has is the access token that the step must have, if any, and Until until when, if that matters.
	Has   string `json:"has"`
	Until *int64 `json:"until"`

	// Times and Exchanges repeat a sequence.
	Times     int        `json:"times"`
	Exchanges []Exchange `json:"exchanges"`
}

// UnmarshalJSON also reads the name of a kind alone, which means its defaults: "token".
func (e *Exchange) UnmarshalJSON(b []byte) error {
	var kind string
	if json.Unmarshal(b, &kind) == nil {
		b = fmt.Appendf(nil, `{%q:{}}`, kind)
	}
	type plain Exchange
	if err := strict(b, (*plain)(e)); err != nil {
		return err
	}
	for kind, store := range map[string]*StoreExchange{"get": e.Get, "set": e.Set, "lock": e.Lock, "add": e.Add, "unlock": e.Unlock} {
		if store != nil {
			e.Store = store
			if err := store.of(kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// TokenExchange is a token request. By default it is the one of the default config, and its
// response a token that lives for an hour.
type TokenExchange struct {
	Path string            `json:"path"`
	Form map[string]string `json:"form"` // merged into the default form
	Body string            `json:"body"` // the whole form, instead
	// Gives is the access token in the response, ExpiresIn its lifetime.
	Gives     string          `json:"gives"`
	ExpiresIn json.RawMessage `json:"expires_in"`
	Response  *Response       `json:"response"` // instead of Gives
}

// JobsExchange is a request to the service. By default it is the one of the default config,
// with the token token-0001, and its response is 200.
type JobsExchange struct {
	Path string `json:"path"`
	With string `json:"with"` // the access token
	// Method (default: GET).
	Method string `json:"method"`
	Body   string `json:"body"`
	// Headers are merged into the default ones; null removes a header.
	Headers  map[string]*string `json:"headers"`
	Response *Response          `json:"response"`
}

// Response is what a server responds.
type Response struct {
	Status  int               `json:"status"` // default: 200
	Headers map[string]string `json:"headers"`
	// One of these: a JSON value, a string, bytes in base64, or a number of random bytes,
	// always the same.
	JSON   json.RawMessage `json:"json"`
	Body   *string         `json:"body"`
	Base64 []byte          `json:"base64"`
	Random int             `json:"random"`
	// Drop closes the connection instead of responding.
	Drop bool `json:"drop"`
}

// UnmarshalJSON also reads a status alone.
func (a *Response) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &a.Status) == nil {
		return nil
	}
	type plain Response
	return strict(b, (*plain)(a))
}
