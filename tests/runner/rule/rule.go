// Package rule reads the rules: what must happen, as data. tests/rules/README.md documents their form.
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
	Name string `json:"rule"`
	// Text is what tests/behavior.md says of it, for client libraries. Anchor is the section of docs/contract.md that has it, for
	// the plugin; a case can name another one.
	Text   string `json:"text"`
	Anchor string `json:"anchor"`
	// Native names, by language, the library's own test of what only that language can show.
	Native map[string]string `json:"native"`
	// Differences are the players that do otherwise, by language or name, each with the reason.
	Differences map[string]string `json:"differences"`
	Cases       []Case            `json:"-"`
}

// Case is one course of events.
type Case struct {
	// Rule is the name of its rule.
	Rule   string `json:"-"`
	Name   string `json:"name"`
	Anchor string `json:"anchor"`
	// Players is where it is played: plugin, everywhere or libraries.
	Players string `json:"players"`
	// Direct says that its direct calls do something that no flow does.
	Direct bool `json:"direct"`
	// Accepts is what the host of its flows can do in addition to requests: store.
	Accepts     []string          `json:"accepts"`
	Differences map[string]string `json:"differences"`
	// Slow says that it waits for a timeout: it runs beside the others.
	Slow bool `json:"slow"`
	// Alone says that nothing else plays meanwhile: the case keeps a player busy, or needs one that is not.
	Alone bool `json:"alone"`
	// TLS says that its servers speak HTTP/2 over TLS, to a separate process which trusts them.
	TLS bool `json:"tls"`
	// Environment has variables, as NAME=VALUE, of a separate process which plays it.
	Environment []string `json:"environment"`
	// Memory is by how many MiB the adapter's processes may grow.
	Memory int `json:"memory"`
	// Fleet has each client of the case in a separate process, the first ones with the libraries of these languages.
	Fleet []string `json:"fleet"`
	// Config is that of a scripted case. null removes a key.
	Config map[string]*string `json:"config"`
	Steps  []Step             `json:"steps"`

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

// Step is something that happens: what it says of servers first, a call or the end of some, and then what must be so.
type Step struct {
	Replies map[string][]Response `json:"replies"` // the next responses of a server
	Always  map[string]Response   `json:"always"`  // all responses of a server
	Silence string                `json:"silence"` // the server's connections neither respond nor close any more
	Revoke  bool                  `json:"revoke"`  // the service refuses all tokens that were given
	// RedisServer and Signal are what a fleet's Redis server does, and its first process: stop, continue, kill; start, fill, free.
	RedisServer string `json:"redis"`
	Signal      string `json:"signal"`
	Expire      string `json:"expire"`  // the keys of the store with this part expire
	Hold        Names  `json:"hold"`    // the servers hold their responses back
	Free        Names  `json:"free"`    // they do not any more
	Respond     string `json:"respond"` // sends the responses to the requests that arrived

	// Open opens the client of that name. Do is a call, by the name of its export or operation, or a whole flow. Begin names a
	// flow that is only begun, and Resume one that is resumed with the result of its last step, or with Input.
	Open   string `json:"open"`
	Do     string `json:"do"`
	Begin  string `json:"begin"`
	Resume string `json:"resume"`

	End        Names   `json:"end"`        // waits for the end of the requests with these names
	Cancel     string  `json:"cancel"`     // cancels them
	Eventually *Step   `json:"eventually"` // repeats a step until what it expects is true
	Repeat     *Repeat `json:"repeat"`     // repeats steps
	Turns      []Step  `json:"turns"`      // the steps with each client of a fleet as the first in turn

	Arrives  Names          `json:"arrives"`  // waits for a request that is held back
	Left     string         `json:"left"`     // waits until the clients of those that arrived have left
	Pending  Names          `json:"pending"`  // none of these has ended
	Requests map[string]int `json:"requests"` // so many requests have come to a server
	Tokens   *Tokens        `json:"tokens"`   // so many tokens were requested since the last step with it
	Saw      map[string]Saw `json:"saw"`      // the last request to a server
	InStore  *Stored        `json:"in_store"` // waits until the store has it
	Log      *Logged        `json:"log"`      // what the client has logged

	// Of calls: Client made them (default: c). As is their name, under which later steps find them: the next step does not
	// wait for their end; a resumed flow continues under it. Times is how often (default: 1).
	Client string `json:"client"`
	As     string `json:"as"`
	Times  int    `json:"times"`
	// At is the time, in seconds since the beginning. Now is what the input has instead; null is nothing.
	At  int64           `json:"at"`
	Now json.RawMessage `json:"now"`
	// Input is the rest of the input; RawInput is all of it.
	Input    map[string]json.RawMessage `json:"input"`
	RawInput *string                    `json:"raw_input"`
	Timeout  json.RawMessage            `json:"timeout"` // of libraries, in seconds; null: no limit
	Retry    json.RawMessage            `json:"retry"`   // of libraries
	// Exchanges are what the servers must be asked for in this call, in this order, and nothing else. Of Begin and Resume, they
	// are the next steps of the flow, of which the last is carried out and has no result yet, unless there is an outcome.
	Exchanges []Exchange `json:"exchanges"`

	// Of open: null removes a key of the default config.
	Config    map[string]*string `json:"config"`
	MaxBody   *int64             `json:"max_body"`
	UserAgent string             `json:"user_agent"`
	Wasm      string             `json:"wasm"`   // a file of the repository
	Plugin    *Plugin            `json:"plugin"` // in place of Wasm
	Store     *Store             `json:"store"`  // of the call store, too

	Outcome

	// Source is the step as JSON, at most its first 500 bytes.
	Source string `json:"-"`
}

// Outcome is how a call ends. Without one, it succeeds; if the servers follow a script, its output is the body of the last
// response, byte for byte.
type Outcome struct {
	Token *Token  `json:"token"` // the output is a token object, or a step that is done with it
	Error Failure `json:"error"` // the error, in all its fields but message
	// Fails has fields that the error must have, null for one that it may not have. If it is empty, the call fails in any way.
	Fails   Failure  `json:"fails"`
	Message string   `json:"message"` // part of the error's message
	Text    []string `json:"text"`    // parts of its text
	Cause   bool     `json:"cause"`   // it has one
	Lost    bool     `json:"lost"`    // a request gets no response: a trap, or network_error
	// Of libraries: the language's own error for a wrong argument, or the library's; the error for a closed client; canceled.
	Misuse   bool `json:"misuse"`
	Closed   bool `json:"closed"`
	Canceled bool `json:"canceled"`
	// Ends are the codes of the library's errors with which a call may end, if it does not succeed.
	Ends []string `json:"ends"`

	JSON  json.RawMessage            `json:"json"`  // the output is this JSON value
	Got   map[string]json.RawMessage `json:"got"`   // the output is a JSON object with these fields; null: it lacks the field
	Fresh bool                       `json:"fresh"` // the service got the token that was requested last
	Empty bool                       `json:"empty"` // the output is empty
	Until *int64                     `json:"until"` // that of done, if it matters
	Logs  *[]string                  `json:"logs"`  // the beginnings of the log lines, in order

	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"` // "": must be missing; … at the end matches anything; of open, those of all its calls
	Body    *string           `json:"body"`
	Adds    *int              `json:"adds"` // with End: so many of them added it

	// Soon says, with End and Left, that it ends before a token request would time out.
	Soon bool `json:"soon"`
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

// UnmarshalJSON sets the time, and repeats the exchanges that stand for several.
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
	s.Exchanges, s.Source = flat(s.Exchanges), fmt.Sprintf("%.500s", b)
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

// Token is the token object that must come; token_type is always Bearer.
type Token struct {
	AccessToken string      `json:"access_token"`
	ExpiresAt   json.Number `json:"expires_at"` // compared if it is set, as is the next
	CacheKey    string      `json:"cache_key"`
}

// UnmarshalJSON also reads an access token alone, of a token that was requested at the beginning.
func (t *Token) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &t.AccessToken) == nil {
		t.ExpiresAt = startExpiry
		return nil
	}
	type plain Token
	return strict(b, (*plain)(t))
}

// Saw is what a request had.
type Saw struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"` // "": must be missing
	Body    *string           `json:"body"`
	Maybe   bool              `json:"maybe"` // if there was one
}

// Tokens is how many there are: Each for each client of a fleet, and Least to Most (default: Least) more.
type Tokens struct {
	Each  int `json:"each"`
	Least int `json:"least"`
	Most  int `json:"most"`
}

// Stored is a value in the store.
type Stored struct {
	Key string `json:"key"` // a part of its key
	Has string `json:"has"` // what it holds
}

// Logged is what lines of a client's log there are.
type Logged struct {
	Level string `json:"level"`
	Has   string `json:"has"`
	Count *int   `json:"count"` // default: at least one
}

// Repeat repeats steps.
type Repeat struct {
	Times int    `json:"times"`
	Steps []Step `json:"steps"`
}

// Store is a store of a client: memory, folder, redis or http.
type Store struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// UnmarshalJSON also reads a kind alone.
func (s *Store) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &s.Kind) == nil {
		return nil
	}
	type plain Store
	return strict(b, (*plain)(s))
}

// Plugin is a plugin that a case makes: with a version, and with programs in place of what it does. A program has words:
// a number, which is pushed; +; a function of Extism; block, the offset of a block with the text base_url; grow, which adds
// pages of memory; trap; once, which ends the program if there is a var base_url; forever, at the beginning of a loop.
type Plugin struct {
	Contract int    `json:"contract"` // default: 1
	Runs     string `json:"runs"`     // when the client opens
	Clears   string `json:"clears"`   // by clear_token
}
