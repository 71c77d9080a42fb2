package call_test

import (
	"encoding/json"
	"strings"

	"automatic-rostering/plugin/core/call"
)

// object returns the token object that a call returned, or nil.
func (c *made) object() []byte {
	switch c.step.Kind {
	case call.Give:
		return c.step.Output
	case call.GiveHeld:
		return c.mine
	}
	return nil
}

// wantResponse wants a call to return the body of the last response.
func (c *made) wantResponse() {
	c.t.Helper()
	if c.step.Kind != call.GiveResponse {
		c.t.Fatalf("got %s, want the response", c.result())
	}
}

// wantToken wants a call to return a token.
func (c *made) wantToken(token string, expiresAt int64) {
	c.t.Helper()
	object := c.object()
	if object == nil {
		c.t.Fatalf("got %s, want a token", c.result())
	}
	var got map[string]any
	if err := json.Unmarshal(object, &got); err != nil {
		c.t.Fatalf("%s: %v", object, err)
	}
	if got["access_token"] != token || got["token_type"] != "Bearer" || got["expires_at"] != float64(expiresAt) ||
		got["cache_key"] == "" || len(got) != 4 {
		c.t.Fatalf("got %s, want %s until %d", object, token, expiresAt)
	}
}

// wantError wants a call to fail with a code, and with retry_after unless it is 0.
func (c *made) wantError(code string, retryAfter int64) (fields map[string]any) {
	c.t.Helper()
	if c.step.Kind != call.Fail {
		c.t.Fatalf("got %s, want %s", c.result(), code)
	}
	if err := json.Unmarshal(c.step.Output, &fields); err != nil {
		c.t.Fatalf("%s: %v", c.step.Output, err)
	}
	got, found := fields["retry_after"]
	if fields["code"] != code || found != (retryAfter != 0) || found && got != float64(retryAfter) ||
		strings.Count(string(c.step.Output), "retry_after") > 1 {
		c.t.Fatalf("got %s, want %s, retry_after %d", c.step.Output, code, retryAfter)
	}
	return fields
}
