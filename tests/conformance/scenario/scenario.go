// Package scenario reads the scenarios: what must happen, as data. Their form is
// documented in tests/scenarios/README.md.
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
	// Form is "steps" for a scenario that only calls by begin and resume can show.
	Form string `json:"form"`
	// Accepts is what the host can do beside requests: wait, or wait and store.
	Accepts []string `json:"accepts"`
	// Config is laid over the default config; null takes a key away.
	Config map[string]*string `json:"config"`
	Calls  []Call             `json:"calls"`

	// Raw is the scenario in its form as JSON.
	Raw json.RawMessage `json:"-"`
}

// FullName is the name with that of the group.
func (s *Scenario) FullName() string { return s.Group + "/" + s.Name }

// Call is one call and what must come of it; or, with As or Resume, one step of a call.
type Call struct {
	// Call is the export.
	Call string `json:"call"`
	// As names the call: it is begun, or resumed, and no more.
	As string `json:"as"`
	// Resume is the name of the call that is resumed, instead of Call. The answer to its
	// last step is handed in, or Input if that is there.
	Resume string `json:"resume"`
	// Times is how often, 1 if left out.
	Times int `json:"times"`
	// Clock is now, DefaultNow if left out, and null for none: Now has that.
	Clock json.RawMessage `json:"now"`
	// Now goes into the input, or "" for none.
	Now json.Number `json:"-"`
	// Input is the rest of the input.
	Input map[string]json.RawMessage `json:"input"`
	// RawInput is the input as it is, instead of Now and Input.
	RawInput *string `json:"raw_input"`
	// Body is the request's body where the plugin does not see it: the input's body is
	// true.
	Body *string `json:"body"`

	Exchanges []Exchange `json:"exchanges"`

	// One of these, or none: the output is the body of the last answer, byte for byte.
	Token *Token          `json:"token"` // the output is a token object
	Error json.RawMessage `json:"error"` // the error, in all its fields but message
	Lost  bool            `json:"lost"`  // a request gets no answer: a trap, or network_error
	JSON  json.RawMessage `json:"json"`  // the output is this JSON value
	Empty bool            `json:"empty"` // the output is empty
	Step  *Exchange       `json:"step"`  // with As or Resume: the next step
	Done  bool            `json:"done"`  // with As or Resume: the call is done, without an output
	// Until and Renew are those of the step: Until is 0 if it has none, nil if that does not
	// matter.
	Until *int64 `json:"until"`
	Renew bool   `json:"renew"`

	// Message must stand in the error's message.
	Message string `json:"message"`
	// Logs are the log lines, in order, on hosts that show them.
	Logs *[]string `json:"logs"`

	// InSteps is laid over the call where begin and resume make it; null takes a field
	// away.
	InSteps map[string]json.RawMessage `json:"in_steps"`
}

// DefaultNow is the time at which calls are made that say nothing else.
const DefaultNow = "1800000000"

func (c *Call) setNow() {
	switch {
	case c.Clock == nil && c.RawInput == nil:
		c.Now = DefaultNow
	case string(c.Clock) != "null":
		c.Now = json.Number(c.Clock)
	}
}

// Partial reports whether the call is one step of a call.
func (c *Call) Partial() bool { return c.As != "" || c.Resume != "" }

// Token is the token object that get_token must give; token_type is always Bearer.
type Token struct {
	AccessToken string      `json:"access_token"`
	ExpiresAt   json.Number `json:"expires_at"`
	// CacheKey is compared where it is given.
	CacheKey string `json:"cache_key"`
}

// Exchange is what the plugin must want of its host next, and the answer to it. It is
// one of these.
type Exchange struct {
	Token *TokenExchange `json:"token"`
	Jobs  *JobsExchange  `json:"jobs"`
	Get   *StoreExchange `json:"get"`
	Add   *StoreExchange `json:"add"`
	Set   *StoreExchange `json:"set"`
	Wait  json.Number    `json:"wait"` // seconds
	// Store is Get, Add or Set.
	Store *StoreExchange `json:"-"`
	// For is call for a wait for another call of the instance; otherwise it is for the store.
	For string `json:"for"`

	// Times and Exchanges stand for several.
	Times     int        `json:"times"`
	Exchanges []Exchange `json:"exchanges"`
}

// UnmarshalJSON also reads a kind alone, which stands for it without more: "token".
func (e *Exchange) UnmarshalJSON(b []byte) error {
	var kind string
	if json.Unmarshal(b, &kind) == nil {
		b = fmt.Appendf(nil, `{%q:{}}`, kind)
	}
	type plain Exchange
	if err := strict(b, (*plain)(e)); err != nil {
		return err
	}
	for op, store := range map[string]*StoreExchange{"get": e.Get, "add": e.Add, "set": e.Set} {
		if store != nil {
			store.Op, e.Store = op, store
		}
	}
	return nil
}

// TokenExchange is a token request. Without more it is the one that the default
// config makes, and its response a token that lives an hour.
type TokenExchange struct {
	Path string            `json:"path"`
	Form map[string]string `json:"form"` // laid over the default form
	Body string            `json:"body"` // the form as it is, instead
	// Gives is the access token in the response, ExpiresIn its lifetime.
	Gives     string          `json:"gives"`
	ExpiresIn json.RawMessage `json:"expires_in"`
	Response  *Response       `json:"response"` // instead of Gives
}

// JobsExchange is a request to the service. Without more it is the one that the
// default config makes, with the token token-0001, and its response is 200.
type JobsExchange struct {
	Path string `json:"path"`
	With string `json:"with"` // the access token
	// Method is GET if left out.
	Method string `json:"method"`
	Body   string `json:"body"`
	// Headers are laid over the default ones; null takes a header away.
	Headers map[string]*string `json:"headers"`
	// Last is whether the step has "last":true, where that matters.
	Last     *bool     `json:"last"`
	Response *Response `json:"response"`
}

// Response is what a server responds.
type Response struct {
	Status  int               `json:"status"` // 200 if left out
	Headers map[string]string `json:"headers"`
	// One of these: a JSON value, text, bytes in base64, or so many random bytes, always
	// the same.
	JSON   json.RawMessage `json:"json"`
	Body   *string         `json:"body"`
	Base64 []byte          `json:"base64"`
	Random int             `json:"random"`
	// Drop closes the connection instead of responding.
	Drop bool `json:"drop"`
}

// StoreExchange is an operation on the shared store.
type StoreExchange struct {
	Op string `json:"-"` // get, add or set
	// Key is the default config's cache key if left out, and with Lock or add the one of
	// the lock beside it.
	Key  string `json:"key"`
	Lock bool   `json:"lock"`
	// The value that get gives, null without one, or that add and set must hand over: a
	// JSON value, text, or a token object, whose fields are laid over those of token-0001.
	Value json.RawMessage            `json:"value"`
	Text  *string                    `json:"text"`
	Token map[string]json.RawMessage `json:"token"`
	TTL   json.Number                `json:"ttl"`
	// Added is what add answers; Failed is the answer of a store that is down.
	Added  bool `json:"added"`
	Failed bool `json:"failed"`
}
