// Package rule reads the rules: what must happen, as data. tests/rules/README.md documents their form and all fields.
package rule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Secret is the client secret of the default config. No error or log may show it, in any spelling: it has characters that
// forms, URLs, JSON and HTML escape.
const Secret = `s3cr3t/+ "with\=odd&characters%ü`

// TokenPrefix begins each token of the default token endpoint. It is what token- followed by four digits means in a case.
const TokenPrefix = "token+/%="

// FullName is the name with that of the rule.
func (c *Case) FullName() string { return c.Rule + "/" + c.Name }

// Scripted reports whether the servers expect exactly the exchanges of the steps. Otherwise, its steps open clients, by default
// the client c, and the servers respond by default.
func (c *Case) Scripted() bool { return c.Players != "libraries" }

// TLS reports whether its servers have TLS.
func (c *Case) TLS() bool { return slices.Contains(c.Process, "tls") }

// Heavy reports whether the case needs much memory or has texts that are so long that they keep a processor busy.
func (c *Case) Heavy() bool {
	if c.Memory > 0 {
		return true
	}
	for _, match := range repeated.FindAllStringSubmatch(string(c.Raw), -1) {
		if times, err := strconv.Atoi(match[1]); err == nil && times*len(match[2]) > 2<<20 {
			return true
		}
	}
	return false
}

// LongestTimeout is that of its steps, which wait long if they are patient.
func (c *Case) LongestTimeout() (longest float64) {
	for _, s := range c.Steps {
		var seconds float64
		_ = json.Unmarshal(s.Timeout, &seconds) // or none, or null
		longest = max(longest, seconds)
	}
	return longest
}

// Direct are the exports that make requests.
var Direct = []string{"get_token", "list_jobs", "send_request"}

// InFlows reports whether the case has direct calls that flows can make, too.
func (c *Case) InFlows() bool {
	return !c.Direct && slices.ContainsFunc(c.Steps, func(s Step) bool { return slices.Contains(Direct, s.Do) })
}

// NeedsDirect reports whether the case has calls that only the exports that send requests can make.
func (c *Case) NeedsDirect() bool {
	return c.Direct || slices.ContainsFunc(c.Steps, func(s Step) bool {
		return s.Input.Text != nil && slices.Contains(Direct, s.Do)
	})
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

// Action is what a server does from now on: it is told a word, or gets responses.
type Action struct {
	Word   string
	Next   []Response
	Always *Response
}

// UnmarshalJSON reads one of these.
func (a *Action) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, &a.Word)
	case '[':
		return json.Unmarshal(b, &a.Next)
	}
	return json.Unmarshal(b, &a.Always)
}

// Input is what a call is passed, or all of it as a text.
type Input struct {
	Fields map[string]json.RawMessage
	Text   *string
}

// UnmarshalJSON reads one of these.
func (i *Input) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &i.Text)
	}
	return json.Unmarshal(b, &i.Fields)
}

// Wasm is the plugin's file that open names, or nothing.
func (i *Input) Wasm() (file string) {
	_ = json.Unmarshal(i.Fields["wasm"], &file) // most have none
	return file
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
	s.Source = fmt.Sprintf("%.500s", b)
	if s.Input.Text != nil || slices.Contains(clockless, s.Do) || string(s.At) == "null" {
		return nil
	}
	seconds, fraction, _ := bytes.Cut(s.At, []byte("."))
	var at int64
	if s.At != nil {
		if err := json.Unmarshal(seconds, &at); err != nil {
			return fmt.Errorf("at: %w", err)
		}
	}
	if s.Now = encode(Start + at); fraction != nil {
		s.Now = append(append(s.Now, '.'), fraction...)
	}
	return nil
}

// IsFlow reports whether the step is a flow, or a step of one.
func (s *Step) IsFlow() bool { return s.Do == "flow" || s.Begin+s.Resume != "" }

// FullInput is the whole input of a call.
func (s *Step) FullInput() map[string]any {
	input := map[string]any{}
	for field, value := range s.Input.Fields {
		input[field] = value
	}
	if s.Now != nil {
		input["now"] = s.Now
	}
	return input
}

// UnmarshalJSON also reads an access token alone, of a token that was requested at the beginning.
func (t *Token) UnmarshalJSON(b []byte) error {
	*t = Token{"token_type": encode("Bearer")}
	if b[0] == '"' {
		(*t)["access_token"], (*t)["expires_at"] = slices.Clone(b), json.RawMessage(startExpiry)
		return nil
	}
	return json.Unmarshal(b, (*map[string]json.RawMessage)(t))
}

// Token is fields of the token object that must come.
type Token map[string]json.RawMessage

// Seen is what has come to a server: so many requests, this one as the last, or to the store, a value with this part.
type Seen struct {
	Count   *int
	Request *Request
	Part    string
}

// UnmarshalJSON reads one of these.
func (s *Seen) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '{':
		return strict(b, &s.Request)
	case '"':
		return json.Unmarshal(b, &s.Part)
	}
	return json.Unmarshal(b, &s.Count)
}

// Log is what a log has: the beginnings of all lines, or parts of lines, with how many have it, or at least one.
type Log struct {
	Lines []string
	Parts map[string]*int
}

// UnmarshalJSON reads a list, a part or parts.
func (l *Log) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '[':
		return json.Unmarshal(b, &l.Lines)
	case '{':
		return json.Unmarshal(b, &l.Parts)
	}
	part := ""
	err := json.Unmarshal(b, &part)
	l.Parts = map[string]*int{part: nil}
	return err
}
