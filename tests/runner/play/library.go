package play

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// Root is the folder of the repository, for files that a case names.
var Root string

// start is what the clock of a client shows at first.
var start = int64(rule.Start)

// fields are those of inputs that the libraries' API has.
var fields = map[string][]string{
	"get_token":    {"force", "refused"},
	"list_jobs":    {"customer_id", "user_id"},
	"send_request": {"customer_id", "user_id", "path", "method", "headers", "body"},
	"set_token":    {"access_token", "token_type", "expires_at", "cache_key"},
	"clear_token":  nil,
}

// Expressible reports whether the public API of libraries can express the calls of a scripted case, and a variable each
// value of its config.
func Expressible(c *rule.Case) bool {
	for _, value := range c.Config {
		if value != nil && (*value == "" || strings.ContainsRune(*value, 0)) {
			return false
		}
	}
	return !c.Direct && !slices.ContainsFunc(c.Steps, func(s rule.Step) bool { return !expressible(&s) })
}

func expressible(s *rule.Step) bool {
	known, ok := fields[s.Do]
	if !ok || s.RawInput != nil && *s.RawInput != "" {
		return false
	}
	for name, value := range s.Input {
		isNull, isEmpty := string(value) == "null", string(value) == `""`
		if !slices.Contains(known, name) || isNull && name != "customer_id" && name != "user_id" || isEmpty && (name == "method" || name == "refused") {
			return false
		}
	}
	set := s.Do != "set_token" || s.Input["access_token"] != nil && s.Input["expires_at"] != nil && s.Input["cache_key"] != nil
	_, err := toLibrary(s)
	return err == nil && set
}

// toLibrary is a call as an adapter makes it.
func toLibrary(s *rule.Step) (r protocol.Request, err error) {
	var in struct {
		CustomerID  json.RawMessage `json:"customer_id"`
		UserID      json.RawMessage `json:"user_id"`
		Force       bool
		Refused     string
		Secret      string
		Op, Key     string // of a store
		Value       string
		TTL         float64
		Body        *string
		AccessToken *string `json:"access_token"`
		ExpiresAt   *int64  `json:"expires_at"`
		TokenType   string  `json:"token_type"`
	}
	input, err := json.Marshal(s.Input)
	if err == nil {
		err = json.Unmarshal([]byte(rule.Repeated(string(input))), &in)
	}
	r = protocol.Request{Op: s.Do, Do: in.Op, Key: in.Key, Value: in.Value, TTL: in.TTL, Call: protocol.Call{
		Force: in.Force, Refused: in.Refused, Secret: in.Secret, Timeout: s.Timeout, CustomerID: in.CustomerID, UserID: in.UserID,
	}}
	if s.Now != nil && s.Do != "close" {
		err = errors.Join(err, json.Unmarshal(s.Now, &r.Now))
	}
	if s.Retry != nil {
		err = errors.Join(err, json.Unmarshal(s.Retry, &r.Retry))
	}
	switch {
	case s.Do == "send_request", s.Do == "own", s.Do == "list_jobs":
		plain := s.FullInput()
		delete(plain, "body") // whose characters are bytes there
		b, wrong := json.Marshal(plain)
		err = errors.Join(err, wrong, json.Unmarshal([]byte(rule.Repeated(string(b))), &r.HTTP))
		if in.Body != nil {
			r.Body = []byte(*in.Body)
		}
	case s.Do == "set_token":
		token := s.FullInput()
		delete(token, "now")
		token["token_type"] = cmp.Or(in.TokenType, "Bearer")
		b, wrong := json.Marshal(token)
		r.Token, err = string(b), errors.Join(err, wrong)
	}
	return r, err
}

// request is what an adapter gets for a step.
func (c *course) request(s *rule.Step) (r protocol.Request, err error) {
	if s.Open != "" {
		return c.open(s)
	}
	if r, err = toLibrary(s); r.Op == "store" {
		r.Store, err = c.storeOf(s.Store)
	} else {
		r.Client = c.client(cmp.Or(s.Client, "c"))
	}
	return r, err
}

func (c *course) open(s *rule.Step) (r protocol.Request, err error) {
	r = protocol.Request{Op: "open", Client: c.client(s.Open), Open: protocol.Open{MaxBody: s.MaxBody, UserAgent: s.UserAgent, Log: s.LogHandler},
		Call: protocol.Call{Timeout: s.Timeout, Now: &start}, HTTP: protocol.HTTP{Headers: s.Headers}}
	if r.Store, err = c.storeOf(s.Store); err != nil {
		return r, err
	}
	if s.Wasm != "" {
		r.Wasm = filepath.Join(Root, s.Wasm)
	}
	if s.Plugin != nil {
		module, err := module(s.Plugin)
		folder, err2 := c.Folder()
		r.Wasm = filepath.Join(folder, "plugin.wasm")
		if err := errors.Join(err, err2, os.WriteFile(r.Wasm, []byte(module), 0o600)); err != nil {
			return r, err
		}
	}
	if secret := s.Config["client_secret"]; secret != nil {
		c.secrets = append(c.secrets, strings.Fields(*secret)...) // of which an error may show one word
	}
	if s.Variables != nil {
		r.Variables = merged(variables(c.World.Config()), s.Variables)
	} else {
		r.Config = merged(c.World.Config(), s.Config)
	}
	return r, nil
}

// variables are the names and values by which a library reads a config.
func variables(config map[string]string) map[string]string {
	all := map[string]string{}
	for key, value := range config {
		all["ROSTERING_"+strings.ToUpper(key)] = value
	}
	return all
}

// Config is that of a scripted case.
func Config(w *world.World, c *rule.Case) (map[string]string, error) {
	filled, err := w.Fill(c)
	return merged(w.Config(), filled.Config), err
}

// merged merges values into those of a config; null removes one.
func merged(config map[string]string, values map[string]*string) map[string]string {
	for name, value := range values {
		if value == nil {
			delete(config, name)
		} else {
			config[name] = *value
		}
	}
	return config
}

// storeOf is a store of the case alone.
func (c *course) storeOf(name string) (store *protocol.Store, err error) {
	if name == "" {
		return nil, nil
	}
	store = &protocol.Store{Name: c.client(name), URL: "memory:"}
	switch kind, _, _ := strings.Cut(name, " "); kind {
	case "http":
		store.URL = c.Store.URL
	case "redis":
		store.URL, err = c.Redis()
	case "folder":
		var folder string
		folder, err = c.Folder()
		store.URL = "file:" + folder
	}
	return store, err
}

// client is the adapter's name of a client or of a store.
func (c *course) client(name string) string { return c.name + " " + name }
