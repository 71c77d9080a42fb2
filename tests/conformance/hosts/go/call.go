package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering/tests/conformance/protocol"
)

// call is a call of the library's API.
type call struct {
	client  *rostering.Client // a view with the call's ids
	name    string
	now     int64
	request rostering.Request
	options []rostering.CallOption
	token   []rostering.TokenOption
}

// make makes the call.
func (c *call) make(ctx context.Context) (a protocol.Response, err error) {
	var response *rostering.Response
	switch c.name {
	case "get_token":
		for _, option := range c.options {
			c.token = append(c.token, option)
		}
		t, err := c.client.GetToken(ctx, c.token...)
		if err != nil {
			return a, err
		}
		a.Output, err = json.Marshal(map[string]any{
			"access_token": string(t.AccessToken), "token_type": t.Type, "expires_at": t.ExpiresAt.Unix(), "cache_key": t.CacheKey,
		})
		return a, err
	case "list_jobs":
		response, err = c.client.ListJobs(ctx, c.options...)
	default:
		response, err = c.client.SendRequest(ctx, c.request, c.options...)
	}
	if err != nil {
		return a, err
	}
	return protocol.Response{Status: response.Status, Output: response.Body}, nil
}

// longestBody limits a body that the plugin gets, which the library never passes to it.
const longestBody = 1 << 20

// readCall reads a call, if the library can express it.
func readCall(client *rostering.Client, r protocol.Request) (*call, bool) {
	c := &call{client: client, name: r.Export}
	if r.TimeoutMS > 0 {
		c.options = append(c.options, rostering.WithCallTimeout(time.Duration(r.TimeoutMS)*time.Millisecond))
	}
	fields := map[string]any{}
	if len(bytes.TrimSpace(r.Input)) > 0 && json.Unmarshal(r.Input, &fields) != nil {
		return nil, false
	}
	for name, value := range fields {
		if !c.read(name, value, r.Body) {
			return nil, false
		}
	}
	return c, true
}

// read reads a field of the input, and reports whether the library can express it.
func (c *call) read(name string, value any, body []byte) bool {
	text, isString := value.(string)
	sends, requests := c.name == "send_request", c.name != "get_token"
	switch {
	case name == "now":
		seconds, ok := value.(float64)
		c.now = int64(seconds)
		return ok
	case name == "force" && !requests:
		force, ok := value.(bool)
		if force {
			c.token = append(c.token, rostering.Force())
		}
		return ok
	case name == "refused" && !requests:
		c.token = append(c.token, rostering.Refused(rostering.Secret(text)))
	case name == "customer_id" && requests && value == nil:
		c.client = c.client.ForNoCustomer()
		return true
	case name == "customer_id" && requests:
		c.client = c.client.ForCustomer(text)
	case name == "user_id" && requests && value == nil:
		c.client = c.client.ForNoUser()
		return true
	case name == "user_id" && requests:
		c.client = c.client.ForUser(text)
	case name == "path" && sends:
		c.request.Path = text
	case name == "method" && sends && text != "":
		c.request.Method = text
	case name == "headers" && sends:
		return c.readHeaders(value)
	case name == "body" && sends && value == true:
		c.request.Body = bytes.NewReader(body)
		return true
	case name == "body" && sends && len(text) <= longestBody:
		if text != "" {
			c.request.Body = strings.NewReader(text)
		}
	default:
		return false
	}
	return isString
}

func (c *call) readHeaders(value any) bool {
	headers, ok := value.(map[string]any)
	c.request.Header = http.Header{}
	for name, value := range headers {
		text, isString := value.(string)
		c.request.Header[name] = []string{text}
		ok = ok && isString
	}
	return ok
}
