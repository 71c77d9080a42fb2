package scenario

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Servers are the URLs of a scenario's scripted servers.
type Servers struct {
	Auth, Service string // addresses, http://127.0.0.1:port
	Closed        string // an address at which nobody listens
}

var repeated = regexp.MustCompile(`\{\{([0-9]+) times ([^}]+)\}\}`)

// CacheKey is the cache key of the default config.
func (s Servers) CacheKey() string {
	return "rostering:" + url.QueryEscape(s.Auth+"/connect/token") + ":client-1:automatic-rostering-stage"
}

// fill replaces the names of the servers' URLs, and writes long strings out.
func (s Servers) fill(text string) string {
	bare := func(address string) string { return strings.TrimPrefix(address, "http://") }
	text = strings.NewReplacer(
		"{{auth}}", s.Auth, "{{service}}", s.Service, "{{closed}}", s.Closed,
		"{{auth.host}}", bare(s.Auth), "{{service.host}}", bare(s.Service),
		"{{auth.escaped}}", url.QueryEscape(s.Auth),
		"{{cache_key}}", s.CacheKey(),
		"{{half a surrogate pair}}", `\ud800`, // in JSON, where it is no text, but may stand
	).Replace(text)
	return Repeated(text)
}

// Repeated writes long strings out: {{65536 times x}}.
func Repeated(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(match string) string {
		parts := repeated.FindStringSubmatch(match)
		times, err := strconv.Atoi(parts[1])
		if err != nil {
			return match
		}
		return strings.Repeat(parts[2], times)
	})
}

// The defaults that every scenario starts from.
var (
	defaultConfig = map[string]string{
		"environment":   "stage",
		"auth_url":      "{{auth}}",
		"base_url":      "{{service}}",
		"client_id":     "client-1",
		"client_secret": Secret,
		"customer_id":   "customer-1",
		"user_id":       "user-1",
	}
	defaultForm = map[string]string{
		"grant_type":    "client_credentials",
		"client_id":     "client-1",
		"client_secret": Secret,
		"scope":         "automatic-rostering-stage",
	}
)

// Secret is the client secret of the default config. No error or log may show it.
const Secret = "s3cr3t/+ with=odd&characters%"

const defaultToken = "token-0001"

// FullConfig is the whole config of the scenario.
func (s *Scenario) FullConfig(servers Servers) map[string]string {
	config := maps.Clone(defaultConfig)
	for key, value := range s.Config {
		if value == nil {
			delete(config, key)
		} else {
			config[key] = *value
		}
	}
	for key, value := range config {
		config[key] = servers.fill(value)
	}
	return config
}

// FullInput is the whole input of the call.
func (c *Call) FullInput() []byte {
	if c.RawInput != nil {
		return []byte(*c.RawInput)
	}
	input := map[string]json.RawMessage{}
	if c.Now != "" {
		input["now"] = json.RawMessage(c.Now)
	}
	maps.Copy(input, c.Input)
	b, err := json.Marshal(input)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return b
}

// Request is what a scripted server must get.
type Request struct {
	Method, Path string
	Header       map[string]string
	Body         string
}

// Request is the token request that must come.
func (e *TokenExchange) Request() Request {
	body := e.Body
	if body == "" {
		form := maps.Clone(defaultForm)
		maps.Copy(form, e.Form)
		for i, key := range []string{"grant_type", "client_id", "client_secret", "scope"} {
			if i > 0 {
				body += "&"
			}
			body += key + "=" + url.QueryEscape(form[key])
		}
	}
	return Request{
		Method: "POST",
		Path:   cmp.Or(e.Path, "/connect/token"),
		Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		Body:   body,
	}
}

// Reply is the response to the token request.
func (e *TokenExchange) Reply() Response {
	if e.Response != nil {
		return *e.Response
	}
	response := map[string]any{"access_token": cmp.Or(e.Gives, defaultToken), "token_type": "Bearer", "expires_in": 3600}
	if e.ExpiresIn != nil {
		response["expires_in"] = e.ExpiresIn
	}
	b, err := json.Marshal(response)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return Response{JSON: b}
}

// Request is the request to the service that must come.
func (e *JobsExchange) Request() Request {
	header := map[string]string{
		"Authorization": "Bearer " + cmp.Or(e.With, defaultToken),
		"CUSTOMER_ID":   "customer-1",
		"USER_ID":       "user-1",
	}
	for name, value := range e.Headers {
		if value == nil {
			delete(header, name)
		} else {
			header[name] = *value
		}
	}
	return Request{Method: cmp.Or(e.Method, "GET"), Path: cmp.Or(e.Path, "/jobs"), Header: header, Body: e.Body}
}

// Reply is the response of the service.
func (e *JobsExchange) Reply() Response {
	if e.Response != nil {
		return *e.Response
	}
	return Response{JSON: json.RawMessage(`{"made": "up"}`)}
}

// Request is the request that must come, of token and jobs, and its response.
func (e *Exchange) Request() (Request, Response) {
	if e.Token != nil {
		return e.Token.Request(), e.Token.Reply()
	}
	return e.Jobs.Request(), e.Jobs.Reply()
}

// Bytes is the response's body.
func (a *Response) Bytes() []byte {
	switch {
	case a.JSON != nil:
		return a.JSON
	case a.Body != nil:
		return []byte(*a.Body)
	case a.Random > 0:
		b := make([]byte, a.Random)
		rand.NewChaCha8([32]byte{}).Read(b)
		return b
	}
	return a.Base64
}
