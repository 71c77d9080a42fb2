package model_test

import (
	"encoding/json"
	"net/url"
	"strings"
)

// checkToken wants a token that there is, and its expiry.
func (w *direct) checkToken(c *directCall) {
	if c.Export != "get_token" || c.Error != "" {
		return
	}
	var got struct {
		Token     string `json:"access_token"`
		ExpiresAt int64  `json:"expires_at"`
	}
	err := json.Unmarshal(c.Output, &got)
	if owner := w.owners[got.Token]; err != nil || owner == "" || owner != w.client && !w.stale || got.ExpiresAt <= 0 {
		w.t.Fatalf("seed %d, action %d: get_token returns a token of %q that expires at %d, %v", w.seed, c.Action, owner, got.ExpiresAt, err)
	}
}

// sent is a request, read as a host reads it.
type sent struct {
	Method, URL string
	Headers     map[string]string
}

func (s *sent) token() string { return strings.TrimPrefix(s.Headers["Authorization"], "Bearer ") }

func (w *direct) read(e *exchange) (s sent) {
	if err := json.Unmarshal([]byte(e.Request), &s); err != nil {
		w.t.Fatalf("seed %d: %s: %v", w.seed, e.Request, err)
	}
	return s
}

// check holds a request to the rules: where it goes, as whom, and how often.
func (w *direct) check(c *directCall, e *exchange) {
	asks := 0
	for n := range c.Exchanges {
		if r := w.read(&c.Exchanges[n]); strings.HasSuffix(r.URL, "/connect/token") {
			asks++
		}
	}
	if sends := len(c.Exchanges) - asks; asks > 1 || sends > 3 {
		w.t.Fatalf("seed %d, action %d: %d token requests, %d others", w.seed, c.Action, asks, sends)
	}
	if w.stale {
		return // what was prepared before may still be used
	}
	s := w.read(e)
	if strings.HasSuffix(s.URL, "/connect/token") {
		form, err := url.ParseQuery(e.Body)
		if err != nil || s.URL != w.Settings["auth_url"]+"/connect/token" || form.Get("client_id") != w.client ||
			form.Get("client_secret") != w.Settings["client_secret"] {
			w.t.Fatalf("seed %d, action %d: a token request to %s as %s, %v", w.seed, c.Action, s.URL, form.Get("client_id"), err)
		}
		return
	}
	var ids struct {
		Customer *string `json:"customer_id"`
	}
	if err := json.Unmarshal([]byte(c.Input), &ids); c.Input != "" && err != nil {
		w.t.Fatalf("seed %d, action %d: %s is sent for %s", w.seed, c.Action, e.Request, c.Input)
	}
	want := w.Settings["customer_id"]
	if ids.Customer != nil {
		want = *ids.Customer
	}
	if w.owners[s.token()] != w.client || !strings.HasPrefix(s.URL, w.Settings["base_url"]+"/") || s.Headers["CUSTOMER_ID"] != want {
		w.t.Fatalf("seed %d, action %d: %s with a token of %q", w.seed, c.Action, e.Request, w.owners[s.token()])
	}
}
