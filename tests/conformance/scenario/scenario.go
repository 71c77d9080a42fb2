// Package scenario reads the scenarios: what must happen, as data. tests/scenarios/README.md
// documents their form.
package scenario

import (
	"encoding/json"
	"slices"
)

// Secret is the client secret of the default config. No error or log may show it.
const Secret = "s3cr3t/+ with=odd&characters%"

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
	Accepts []string          `json:"accepts"`
	Config  map[string]string `json:"config"`
	Calls   []Call            `json:"calls"`

	// Raw is the scenario in its form as JSON.
	Raw json.RawMessage `json:"-"`
}

// FullName is the name with that of the group.
func (s *Scenario) FullName() string { return s.Group + "/" + s.Name }

// Direct are the exports that make requests.
var Direct = []string{"get_token", "list_jobs", "send_request"}

// HasDirect reports whether the scenario has direct calls that flows can make, too.
func (s *Scenario) HasDirect() bool {
	return !s.Direct && slices.ContainsFunc(s.Calls, func(c Call) bool { return slices.Contains(Direct, c.Call) })
}

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
	// Now goes into the input, unless it is nil. Input is the rest of the input; RawInput is all of it.
	Now      json.RawMessage            `json:"now"`
	Input    map[string]json.RawMessage `json:"input"`
	RawInput *string                    `json:"raw_input"`

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

// The time of calls that set no other, and the expiry of a token that is requested then.
const (
	defaultNow    = "1800000000"
	defaultExpiry = "1800003600"
)

// clockless are the exports whose input has no field now.
var clockless = []string{"request", "clear_token", "check", "version"}

// UnmarshalJSON sets the default time, and repeats the exchanges that stand for several.
func (c *Call) UnmarshalJSON(b []byte) error {
	type plain Call
	c.Now = json.RawMessage(defaultNow)
	if err := strict(b, (*plain)(c)); err != nil {
		return err
	}
	if c.RawInput != nil || slices.Contains(clockless, c.Call) || string(c.Now) == "null" {
		c.Now = nil
	}
	c.Exchanges = flat(c.Exchanges)
	return nil
}

func flat(exchanges []Exchange) (all []Exchange) {
	for _, e := range exchanges {
		if e.Exchanges == nil {
			all = append(all, e)
		}
		for range e.Times {
			all = append(all, flat(e.Exchanges)...)
		}
	}
	return all
}

// IsFlow reports whether the call is a flow, or a step of one.
func (c *Call) IsFlow() bool { return c.Call == "flow" || c.Begin+c.Resume != "" }

// FullInput is the whole input of the call.
func (c *Call) FullInput() map[string]any {
	input := map[string]any{}
	for field, value := range c.Input {
		input[field] = value
	}
	if c.Now != nil {
		input["now"] = c.Now
	}
	return input
}

// Token is the token object that must come; token_type is always Bearer.
type Token struct {
	AccessToken string      `json:"access_token"`
	ExpiresAt   json.Number `json:"expires_at"`
	// CacheKey is compared if it is set.
	CacheKey string `json:"cache_key"`
}

// UnmarshalJSON also reads an access token alone.
func (t *Token) UnmarshalJSON(b []byte) error {
	t.ExpiresAt = defaultExpiry
	if json.Unmarshal(b, &t.AccessToken) == nil {
		return nil
	}
	type plain Token
	return strict(b, (*plain)(t))
}
