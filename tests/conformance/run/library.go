package run

import (
	"encoding/json"
	"slices"
	"strings"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// ForLibraries reports whether a scenario is for libraries: whether their public API can express its
// calls, and a variable each value of its config.
func ForLibraries(s *scenario.Scenario) bool {
	if !s.Everywhere || s.Direct {
		return false
	}
	for _, value := range s.Config {
		if value != nil && (*value == "" || strings.ContainsRune(*value, 0)) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Calls, func(c scenario.Call) bool {
		_, ok := libraryCall(&c)
		return !ok
	})
}

func (c *course) openLibrary(config map[string]string) protocol.Request {
	variables := map[string]string{}
	for key, value := range config {
		variables["ROSTERING_"+strings.ToUpper(key)] = value
	}
	r := protocol.Request{Op: "open", Client: c.client, Config: config}
	r.Variables, r.Clock = variables, true
	return r
}

// libraryCall makes a call of the scenario by the library's API.
func (c *course) libraryCall(call *scenario.Call) (protocol.Response, error) {
	r, _ := libraryCall(call)
	r.Client = c.client
	a, err := c.Do(r)
	if a.Output = a.Body; a.Token != nil {
		a.Output = a.Token
	}
	return a, err
}

// libraryCall is a call as an adapter makes it, if a library's API can express it.
func libraryCall(call *scenario.Call) (r protocol.Request, ok bool) {
	exports := []string{"list_jobs", "send_request", "get_token", "set_token", "clear_token"}
	if !slices.Contains(exports, call.Call) || call.RawInput != nil && *call.RawInput != "" || call.Empty && call.Call == "get_token" {
		return r, false
	}
	r.Op = call.Call
	if call.Now != "" {
		now, err := call.Now.Int64()
		if err != nil {
			return r, false
		}
		r.Now = &now
	}
	if call.Call == "set_token" {
		return setToken(r, call)
	}
	if call.Call == "send_request" {
		r.Request = &protocol.HTTP{}
	}
	for name, value := range call.Input {
		if !readField(&r, name, value) {
			return r, false
		}
	}
	return r, call.Call != "clear_token" || call.Input == nil
}

// readField reads a field of a call's input.
func readField(r *protocol.Request, name string, value json.RawMessage) bool {
	text, isText := "", json.Valid(value) && value[0] == '"'
	if isText {
		_ = json.Unmarshal(value, &text)
	}
	sends, gets := r.Op == "send_request", r.Op == "get_token"
	isID := !gets && (isText || string(value) == "null")
	switch {
	case name == "customer_id" && isID:
		r.CustomerID = value
	case name == "user_id" && isID:
		r.UserID = value
	case name == "force" && gets:
		return json.Unmarshal(value, &r.Force) == nil
	case name == "refused" && gets && text != "":
		r.Refused = text
	case name == "path" && sends && isText:
		r.Request.Path = &text
	case name == "method" && sends && isText:
		r.Request.Method = text
		return text != ""
	case name == "headers" && sends:
		return json.Unmarshal(value, &r.Request.Headers) == nil
	case name == "body" && sends && isText:
		r.Request.Body = []byte(text)
	default:
		return false
	}
	return true
}

// setToken reads the input of set_token, of which an API has all fields but the type.
func setToken(r protocol.Request, call *scenario.Call) (protocol.Request, bool) {
	var token struct {
		AccessToken *string `json:"access_token"`
		TokenType   string  `json:"token_type"`
		ExpiresAt   *int64  `json:"expires_at"`
		CacheKey    *string `json:"cache_key"`
	}
	object, err := json.Marshal(call.Input)
	if err != nil || json.Unmarshal(object, &token) != nil || token.AccessToken == nil || token.ExpiresAt == nil || token.CacheKey == nil {
		return r, false
	}
	if r.Token = object; token.TokenType == "" {
		token.TokenType = "Bearer"
		r.Token, _ = json.Marshal(token)
	}
	return r, len(call.Input) <= 4
}
