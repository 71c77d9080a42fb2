// Package scenario reads the scenarios: what must happen, as data. Their form is
// documented in tests/scenarios/README.md.
package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
)

// Scenario is one course of events on one instance of the plugin.
type Scenario struct {
	// Group is the name of its file, without the ending.
	Group string `json:"-"`
	Name  string `json:"name"`
	// Rule is the sentence of the contract that it shows.
	Rule string `json:"rule"`
	// Form is "steps" for a scenario that only a call by begin and resume can show.
	Form string `json:"form"`
	// Config is laid over the default config; null takes a key away.
	Config map[string]*string `json:"config"`
	Calls  []Call             `json:"calls"`

	raw json.RawMessage
}

// Call is one call, the requests that it must make and what must come of it.
type Call struct {
	// Call is the export.
	Call string `json:"call"`
	// Times is how often, 1 if left out.
	Times int `json:"times"`
	// Now goes into the input. It may be left out with RawInput alone.
	Now json.Number `json:"now"`
	// Input is the rest of the input.
	Input map[string]json.RawMessage `json:"input"`
	// RawInput is the input as it is, instead of Now and Input.
	RawInput *string `json:"raw_input"`

	Exchanges []Exchange `json:"exchanges"`

	// One of these, or none: the output is the body of the last answer, byte for byte.
	Token *Token          `json:"token"` // the output is a token object
	Error json.RawMessage `json:"error"` // the error, in all its fields but message
	Lost  bool            `json:"lost"`  // a request gets no answer: a trap, or network_error
	JSON  json.RawMessage `json:"json"`  // the output is this JSON value
	Empty bool            `json:"empty"` // the output is empty

	// Message must stand in the error's message.
	Message string `json:"message"`
	// Logs are the log lines, in order, on hosts that show them.
	Logs *[]string `json:"logs"`

	// InSteps is laid over the call where begin and resume make it; null takes a field
	// away.
	InSteps map[string]json.RawMessage `json:"in_steps"`
}

// Token is the token object that get_token must give; token_type is always Bearer.
type Token struct {
	AccessToken string      `json:"access_token"`
	ExpiresAt   json.Number `json:"expires_at"`
	// CacheKey is compared where it is given.
	CacheKey string `json:"cache_key"`
}

// Exchange is a request that must come and the answer to it: of the token endpoint
// or of the service.
type Exchange struct {
	Token *TokenExchange `json:"token"`
	Jobs  *JobsExchange  `json:"jobs"`
}

// TokenExchange is a token request. Without more it is the one that the default
// config makes, and its answer a token that lives an hour.
type TokenExchange struct {
	Path string            `json:"path"`
	Form map[string]string `json:"form"` // laid over the default form
	Body string            `json:"body"` // the form as it is, instead
	// Gives is the access token in the answer, ExpiresIn its lifetime.
	Gives     string          `json:"gives"`
	ExpiresIn json.RawMessage `json:"expires_in"`
	Answer    *Answer         `json:"answer"` // instead of Gives
}

// JobsExchange is a request to the service. Without more it is the one that the
// default config makes, with the token token-1, and its answer is 200.
type JobsExchange struct {
	Path string `json:"path"`
	With string `json:"with"` // the access token
	// Method is GET if left out.
	Method string `json:"method"`
	Body   string `json:"body"`
	// Headers are laid over the default ones; null takes a header away.
	Headers map[string]*string `json:"headers"`
	Answer  *Answer            `json:"answer"`
}

// Answer is what a server answers.
type Answer struct {
	Status  int               `json:"status"` // 200 if left out
	Headers map[string]string `json:"headers"`
	// One of these: a JSON value, text, bytes in base64, or so many random bytes, always
	// the same.
	JSON   json.RawMessage `json:"json"`
	Body   *string         `json:"body"`
	Base64 []byte          `json:"base64"`
	Random int             `json:"random"`
	// Drop closes the connection instead of answering.
	Drop bool `json:"drop"`
}

// Load reads all scenario files of a folder, and refuses what is not of the form.
func Load(folder fs.FS) ([]Scenario, error) {
	files, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	var all []Scenario
	names := map[string]bool{}
	for _, file := range files {
		group, err := load(folder, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, s := range group {
			if full := s.Group + "/" + s.Name; names[full] {
				return nil, fmt.Errorf("%s: two scenarios are named %q", file, s.Name)
			} else {
				names[full] = true
			}
		}
		all = append(all, group...)
	}
	if len(all) == 0 {
		return nil, errors.New("there are no scenarios")
	}
	return all, nil
}

func load(folder fs.FS, file string) ([]Scenario, error) {
	b, err := fs.ReadFile(folder, file)
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return nil, err
	}
	var group []Scenario
	for _, r := range raw {
		s, err := decode(r)
		if err != nil {
			return nil, fmt.Errorf("%.80s: %w", r, err)
		}
		s.Group = strings.TrimSuffix(path.Base(file), ".json")
		group = append(group, s)
	}
	return group, nil
}

func decode(raw json.RawMessage) (s Scenario, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return s, err
	}
	s.raw = raw
	return s, s.check()
}

// With gives the scenario with all placeholders filled in.
func (s *Scenario) With(servers Servers) (Scenario, error) {
	filled, err := decode(json.RawMessage(servers.fill(string(s.raw))))
	filled.Group = s.Group
	return filled, err
}

// ForSteps gives the scenario as it is where begin and resume make its calls.
func (s *Scenario) ForSteps() (Scenario, error) {
	var all map[string]json.RawMessage
	var calls []map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(s.raw, &all), json.Unmarshal(all["calls"], &calls)); err != nil {
		return Scenario{}, err
	}
	for i := range calls {
		maps.Copy(calls[i], s.Calls[i].InSteps)
		maps.DeleteFunc(calls[i], func(field string, value json.RawMessage) bool {
			return field == "in_steps" || string(value) == "null"
		})
	}
	laid, err := json.Marshal(calls)
	if err != nil {
		return Scenario{}, err
	}
	all["calls"] = laid
	raw, err := json.Marshal(all)
	if err != nil {
		return Scenario{}, err
	}
	steps, err := decode(raw)
	steps.Group = s.Group
	return steps, err
}

func (s *Scenario) check() error {
	if s.Name == "" || s.Rule == "" || len(s.Calls) == 0 {
		return errors.New("a scenario needs a name, a rule and calls")
	}
	if s.Form != "" && s.Form != "steps" {
		return errors.New("there is no other form than steps")
	}
	for i, c := range s.Calls {
		if err := c.check(); err != nil {
			return fmt.Errorf("call %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *Call) check() error {
	outcomes := 0
	for _, set := range []bool{c.Token != nil, c.Error != nil, c.Lost, c.JSON != nil, c.Empty} {
		if set {
			outcomes++
		}
	}
	switch {
	case c.Call == "":
		return errors.New("which export is called?")
	case outcomes > 1:
		return errors.New("token, error, lost, json and empty exclude each other")
	case (c.RawInput == nil) == (c.Now == ""):
		return errors.New("it needs now, or raw_input instead")
	case c.RawInput != nil && c.Input != nil:
		return errors.New("raw_input and input exclude each other")
	case outcomes == 0 && len(c.Exchanges) == 0:
		return errors.New("without a request there is no body to give out")
	case c.Message != "" && c.Error == nil:
		return errors.New("message needs an error")
	}
	for _, e := range c.Exchanges {
		if (e.Token == nil) == (e.Jobs == nil) {
			return errors.New("an exchange is either token or jobs")
		}
	}
	return nil
}
