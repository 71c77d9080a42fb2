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
	// Form is "steps" for a scenario that only calls by begin and resume can show.
	Form string `json:"form"`
	// Everywhere says that a host can go wrong with it, and not the core alone.
	Everywhere bool `json:"everywhere"`
	// Accepts is what the host can do in addition to requests: wait, or wait and store.
	Accepts []string `json:"accepts"`
	// Config is merged into the default config; null removes a key.
	Config map[string]*string `json:"config"`
	Calls  []Call             `json:"calls"`

	// Raw is the scenario in its form as JSON.
	Raw json.RawMessage `json:"-"`
}

// FullName is the name with that of the group.
func (s *Scenario) FullName() string { return s.Group + "/" + s.Name }

// Call is one call and its expected end; or, with As or Resume, one step of a call.
type Call struct {
	// Call is the export.
	Call string `json:"call"`
	// As names the call, which is only begun or resumed.
	As string `json:"as"`
	// Resume is the name of the call that is resumed, instead of Call, with the result of
	// its last step, or with Input if that is set.
	Resume string `json:"resume"`
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
	// Body is the request's body if the plugin does not see it: the body of the input is
	// true.
	Body *string `json:"body"`

	Exchanges []Exchange `json:"exchanges"`

	// One of these, or none: the output is the body of the last response, byte for byte.
	Token *Token          `json:"token"` // the output is a token object
	Error json.RawMessage `json:"error"` // the error, in all its fields but message
	Lost  bool            `json:"lost"`  // a request gets no response: a trap, or network_error
	JSON  json.RawMessage `json:"json"`  // the output is this JSON value
	Empty bool            `json:"empty"` // the output is empty
	Step  *Exchange       `json:"step"`  // with As or Resume: the next step
	Done  bool            `json:"done"`  // with As or Resume: the call is done, without an output
	// Until and Renew are those of the step: Until is 0 if it has none, nil if that does not
	// matter.
	Until *int64 `json:"until"`
	Renew bool   `json:"renew"`

	// Message must be part of the error's message.
	Message string `json:"message"`
	// Logs are the log lines, in order, on hosts that show them.
	Logs *[]string `json:"logs"`

	// InSteps is merged into the call if begin and resume make it; null removes a field.
	InSteps map[string]json.RawMessage `json:"in_steps"`
}

// DefaultNow is the time of calls that set no other.
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

// Token is the token object that get_token must return; token_type is always Bearer.
type Token struct {
	AccessToken string      `json:"access_token"`
	ExpiresAt   json.Number `json:"expires_at"`
	// CacheKey is compared if it is set.
	CacheKey string `json:"cache_key"`
}

// Exchange is the next thing that the plugin must ask of its host, and the response. It is one
// of these.
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
	for op, store := range map[string]*StoreExchange{"get": e.Get, "add": e.Add, "set": e.Set} {
		if store != nil {
			store.Op, e.Store = op, store
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
	Headers map[string]*string `json:"headers"`
	// Last is whether the step has "last":true, if that matters.
	Last     *bool     `json:"last"`
	Response *Response `json:"response"`
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

// StoreExchange is an operation on the shared store.
type StoreExchange struct {
	Op string `json:"-"` // get, add or set
	// Key is by default the cache key of the default config, and with Lock or add the lock
	// next to it.
	Key  string `json:"key"`
	Lock bool   `json:"lock"`
	// The value that get returns (default: null), or that add and set must pass: a JSON
	// value, a string, or a token object, whose fields are merged into those of token-0001.
	Value json.RawMessage            `json:"value"`
	Text  *string                    `json:"text"`
	Token map[string]json.RawMessage `json:"token"`
	TTL   json.Number                `json:"ttl"`
	// Added is what add returns; Failed is set if the store is down.
	Added  bool `json:"added"`
	Failed bool `json:"failed"`
}
