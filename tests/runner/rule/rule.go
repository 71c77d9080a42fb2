// Package rule reads the rules: what must happen, as data. tests/rules/README.md documents their form and all fields.
package rule

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Secret is the client secret of the default config. No error or log may show it, in any spelling: it has characters that
// forms, URLs, JSON and HTML escape.
const Secret = `s3cr3t/+ "with\=odd&characters%ü`

// TokenPrefix begins each token of the default token endpoint. It is what token- followed by four digits means in a case.
const TokenPrefix = "token+/%="

// Rule is one rule, and the cases that show it.
type Rule struct {
	Name        string            `json:"rule"`
	Text        string            `json:"text"`   // for client libraries
	Anchor      string            `json:"anchor"` // of docs/contract.md, for the plugin
	Native      map[string]string `json:"native"`
	Differences map[string]string `json:"differences"` // the reasons, by language or name
	Cases       []Case            `json:"-"`
}

// Case is one course of events.
type Case struct {
	Rule        string             `json:"-"` // its name
	Name        string             `json:"name"`
	Anchor      string             `json:"anchor"`
	Players     string             `json:"players"` // where it is played: plugin, everywhere or libraries
	Direct      bool               `json:"direct"`
	Accepts     []string           `json:"accepts"`
	Differences map[string]string  `json:"differences"`
	Slow        bool               `json:"slow"`
	Alone       bool               `json:"alone"`
	TLS         bool               `json:"tls"`
	Environment []string           `json:"environment"`
	Memory      int                `json:"memory"`
	Fleet       []string           `json:"fleet"`
	Config      map[string]*string `json:"config"`
	Steps       []Step             `json:"steps"`

	// Raw is the case in its form as JSON, with placeholders.
	Raw json.RawMessage `json:"-"`
}

// FullName is the name with that of the rule.
func (c *Case) FullName() string { return c.Rule + "/" + c.Name }

// Scripted reports whether the servers expect exactly the exchanges of the steps. Otherwise, its steps open clients, by default
// the client c, and the servers respond by default.
func (c *Case) Scripted() bool { return c.Players != "libraries" }

// Direct are the exports that make requests.
var Direct = []string{"get_token", "list_jobs", "send_request"}

// InFlows reports whether the case has direct calls that flows can make, too.
func (c *Case) InFlows() bool {
	return !c.Direct && slices.ContainsFunc(c.Steps, func(s Step) bool { return slices.Contains(Direct, s.Do) })
}

// NeedsDirect reports whether the case has calls that only the exports that send requests can make.
func (c *Case) NeedsDirect() bool {
	return c.Direct || slices.ContainsFunc(c.Steps, func(s Step) bool {
		return s.RawInput != nil && slices.Contains(Direct, s.Do)
	})
}

// Step is something that happens: what it says of servers first, a call or the end of some, and then what must be so.
type Step struct {
	// Before it.
	Replies     map[string][]Response `json:"replies"`
	Always      map[string]Response   `json:"always"`
	Silence     string                `json:"silence"`
	Revoke      bool                  `json:"revoke"`
	RedisServer string                `json:"redis"`
	Signal      string                `json:"signal"`
	Hold        Names                 `json:"hold"`
	Free        Names                 `json:"free"`
	Respond     string                `json:"respond"`

	// What happens: one of these.
	Open       string `json:"open"`
	Do         string `json:"do"`
	Begin      string `json:"begin"`
	Resume     string `json:"resume"`
	End        Names  `json:"end"`
	Cancel     string `json:"cancel"`
	Eventually *Step  `json:"eventually"`
	Turns      []Step `json:"turns"`

	// After it.
	Arrives  Names          `json:"arrives"`
	Left     string         `json:"left"`
	Pending  Names          `json:"pending"`
	Requests map[string]int `json:"requests"`
	Tokens   *Tokens        `json:"tokens"`
	Saw      map[string]Saw `json:"saw"`
	InStore  string         `json:"in_store"`
	Log      *Logged        `json:"log"`
	Ran      *int           `json:"ran"`

	// Of calls. A field that may be null is left as JSON.
	Client    string                     `json:"client"`
	As        string                     `json:"as"`
	Times     int                        `json:"times"`
	At        int64                      `json:"at"`
	Now       json.RawMessage            `json:"now"`
	Input     map[string]json.RawMessage `json:"input"`
	RawInput  *string                    `json:"raw_input"`
	Timeout   json.RawMessage            `json:"timeout"`
	Retry     json.RawMessage            `json:"retry"`
	Exchanges []Exchange                 `json:"exchanges"`

	// Of open. Wasm is a file of the repository. Store is also that of the call store.
	Config    map[string]*string `json:"config"`
	MaxBody   *int64             `json:"max_body"`
	UserAgent string             `json:"user_agent"`
	Wasm      string             `json:"wasm"`
	Store     string             `json:"store"`

	Outcome

	// Source is the step as JSON, at most its first 500 bytes.
	Source string `json:"-"`
}

// Outcome is how a call ends.
type Outcome struct {
	Token   Token                      `json:"token"`
	Error   Failure                    `json:"error"`
	Fails   Failure                    `json:"fails"`
	Ends    Names                      `json:"ends"`
	Text    Names                      `json:"text"`
	Cause   bool                       `json:"cause"`
	Got     map[string]json.RawMessage `json:"got"`
	Until   *int64                     `json:"until"`
	Logs    *[]string                  `json:"logs"`
	Status  int                        `json:"status"`
	Headers map[string]string          `json:"headers"` // of open, those of all its calls
	Body    json.RawMessage            `json:"body"`    // see Text
	Adds    *int                       `json:"adds"`
}

// Names is one name or more.
type Names []string

// UnmarshalJSON reads a name or a list of them.
func (n *Names) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return json.Unmarshal(b, (*[]string)(n))
	}
	*n = Names{""}
	return json.Unmarshal(b, &(*n)[0])
}

// Failure is an error, or some of its fields.
type Failure map[string]json.RawMessage

// UnmarshalJSON also reads a code alone.
func (f *Failure) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*f = Failure{"code": slices.Clone(b)}
		return nil
	}
	return json.Unmarshal(b, (*map[string]json.RawMessage)(f))
}

// JSON is the whole error. It is retryable by its code, unless it says so.
func (f Failure) JSON() []byte {
	whole := maps.Clone(f)
	if f["retryable"] == nil {
		whole["retryable"] = encode(slices.Contains(retryable, f.Code()))
	}
	return encode(whole)
}

// Code is that of the error.
func (f Failure) Code() string { return strings.Trim(string(f["code"]), `"`) }

var retryable = []string{"token_endpoint_unavailable", "token_response_invalid", "service_unauthorized", "network_error"}

// Start is the time at the beginning of a case, in Unix seconds. A token that is requested then expires at startExpiry.
const (
	Start       = 1800000000
	startExpiry = "1800003600"
)

// clockless are the exports whose input has no field now.
var clockless = []string{"request", "clear_token", "check", "version"}

// UnmarshalJSON sets the time.
func (s *Step) UnmarshalJSON(b []byte) error {
	type plain Step
	if err := strict(b, (*plain)(s)); err != nil {
		return err
	}
	if s.Now == nil {
		s.Now = encode(Start + s.At)
	}
	if s.RawInput != nil || slices.Contains(clockless, s.Do) || string(s.Now) == "null" {
		s.Now = nil
	}
	s.Source = fmt.Sprintf("%.500s", b)
	return nil
}

// IsFlow reports whether the step is a flow, or a step of one.
func (s *Step) IsFlow() bool { return s.Do == "flow" || s.Begin+s.Resume != "" }

// FullInput is the whole input of a call.
func (s *Step) FullInput() map[string]any {
	input := map[string]any{}
	for field, value := range s.Input {
		input[field] = value
	}
	if s.Now != nil {
		input["now"] = s.Now
	}
	return input
}

// Token is fields of the token object that must come.
type Token map[string]json.RawMessage

// UnmarshalJSON also reads an access token alone, of a token that was requested at the beginning.
func (t *Token) UnmarshalJSON(b []byte) error {
	*t = Token{"token_type": encode("Bearer")}
	if b[0] == '"' {
		(*t)["access_token"], (*t)["expires_at"] = slices.Clone(b), json.RawMessage(startExpiry)
		return nil
	}
	return json.Unmarshal(b, (*map[string]json.RawMessage)(t))
}

// Saw is what a request had.
type Saw struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"` // "": must be missing
	Body    string            `json:"body"`
}

// Tokens is how many there are: Each for each client of a fleet, and Least to Most (default: Least) more.
type Tokens struct {
	Each  int `json:"each"`
	Least int `json:"least"`
	Most  int `json:"most"`
}

// Logged is what lines of a client's log there are.
type Logged struct {
	Has   string `json:"has"`   // a part of the level, a space and the line
	Count *int   `json:"count"` // default: at least one
}
