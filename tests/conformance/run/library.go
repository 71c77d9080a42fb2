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
		if value == "" || strings.ContainsRune(value, 0) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Calls, func(c scenario.Call) bool {
		_, ok := libraryCall(&c)
		return !ok
	})
}

func (c *course) openLibrary() protocol.Request {
	r := protocol.Request{Op: "open", Client: c.client, Config: c.scenario.Config}
	r.Variables, r.Clock = map[string]string{}, true
	for key, value := range r.Config {
		r.Variables["ROSTERING_"+strings.ToUpper(key)] = value
	}
	return r
}

// libraryCall makes a call of the scenario by the library's API.
func (c *course) libraryCall(call *scenario.Call) protocol.Response {
	r, _ := libraryCall(call)
	r.Client = c.client
	a, err := c.Do(r)
	if err != nil {
		return broken(err)
	}
	if a.Output = a.Body; a.Token != nil {
		a.Output = a.Token
	}
	return a
}

// expressible are the fields of inputs that the libraries' API has.
var expressible = map[string][]string{
	"get_token":    {"force", "refused"},
	"list_jobs":    {"customer_id", "user_id"},
	"send_request": {"customer_id", "user_id", "path", "method", "headers", "body"},
	"set_token":    {"access_token", "token_type", "expires_at", "cache_key"},
	"clear_token":  nil,
}

// libraryCall is a call as an adapter makes it, if a library's API can express it.
func libraryCall(call *scenario.Call) (r protocol.Request, ok bool) {
	fields, ok := expressible[call.Call]
	if !ok || call.RawInput != nil && *call.RawInput != "" || call.Empty && call.Call == "get_token" {
		return r, false
	}
	for name, value := range call.Input {
		isNull, isEmpty := string(value) == "null", string(value) == `""`
		if !slices.Contains(fields, name) || isNull && name != "customer_id" && name != "user_id" || isEmpty && (name == "method" || name == "refused") {
			return r, false
		}
	}
	var in struct {
		Now          *int64
		CustomerID   *string `json:"customer_id"`
		UserID       *string `json:"user_id"`
		Path         *string
		Method, Body string
		Headers      map[string]string
		Force        bool
		Refused      string
		AccessToken  *string `json:"access_token"`
		CacheKey     *string `json:"cache_key"`
		ExpiresAt    *int64  `json:"expires_at"`
		TokenType    string  `json:"token_type"`
	}
	text, err := json.Marshal(call.FullInput())
	if err != nil || json.Unmarshal(text, &in) != nil {
		return r, false
	}
	r.Op, r.Now, r.Force, r.Refused = call.Call, in.Now, in.Force, in.Refused
	r.CustomerID, r.UserID = call.Input["customer_id"], call.Input["user_id"]
	switch call.Call {
	case "send_request":
		r.Request = &protocol.HTTP{Path: in.Path, Method: in.Method, Headers: in.Headers, Body: []byte(in.Body)}
	case "set_token":
		if in.AccessToken == nil || in.ExpiresAt == nil || in.CacheKey == nil {
			return r, false
		}
		token := call.FullInput()
		delete(token, "now")
		if in.TokenType == "" {
			token["token_type"] = "Bearer"
		}
		r.Token, err = json.Marshal(token)
	}
	return r, err == nil
}
