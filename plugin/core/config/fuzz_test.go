package config_test

import (
	"net"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
	"automatic-rostering.example/rostering/plugin/core/service"
)

// FuzzConfig reads any config: requests with an accepted one are read by others as intended.
func FuzzConfig(f *testing.F) {
	f.Add("stage", "", "https://auth.example/a/", "http://localhost:8080", "id", "s&c=r+t %", "c d&e", "60", "")
	f.Add("", "a b", "HTTP://AUTH.EXAMPLE:80", "https://[::1]:443/", "ü", "\x80", "c d", "0", "true")
	f.Add("production", "", "http://127.0.0.1.evil.com", "https://user@host", "\n", "", " ", "-1", "yes")
	f.Fuzz(func(t *testing.T, environment, scope, auth, base, id, secret, other, margin, allow string) {
		all := keys{"environment": environment, "scope": scope, "auth_url": auth, "base_url": base, "client_id": id,
			"client_secret": secret, "refresh_margin": margin, "allow_http": allow, "*": other}
		if c, err := config.ReadClient(all.get); err == nil {
			checkURL(t, auth, c.TokenURL, "/connect/token", allow == "true")
			checkTokenBody(t, c, id, secret, other)
			if c.Margin < 0 || c.Margin > 86400 {
				t.Errorf("Margin = %d", c.Margin)
			}
		}
		if r, err := service.NewRequest(all.get, &input.Input{Own: input.Own{Method: "GET", Path: "/jobs"}}); err == nil {
			checkURL(t, base, r.URL, "/jobs", allow == "true")
			for _, h := range r.Headers {
				if h.Value == "" || strings.Trim(h.Value, " ") != h.Value || strings.ContainsFunc(h.Value, unfit) {
					t.Errorf("header %s: %q", h.Name, h.Value)
				}
			}
		}
	})
}

func unfit(r rune) bool { return r < ' ' || r > '~' }

// checkURL compares an accepted URL, and the one made from it, with net/url.
func checkURL(t *testing.T, address, made, end string, allowHTTP bool) {
	t.Helper()
	u, err := url.Parse(made)
	if err != nil {
		t.Fatalf("%q: net/url says %v", made, err)
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || !strings.HasSuffix(u.Path, end) {
		t.Errorf("%q is %+v", made, u)
	}
	_, authority, _ := strings.Cut(address, "://")
	if authority, _, _ = strings.Cut(authority, "/"); u.Host != authority || u.Hostname() == "" {
		t.Errorf("%q: net/url sees the host %q", made, u.Host)
	}
	local := strings.EqualFold(u.Hostname(), "localhost") || net.ParseIP(u.Hostname()).IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !local && !allowHTTP) {
		t.Errorf("%q is accepted without https", made)
	}
}

func checkTokenBody(t *testing.T, c *config.Client, id, secret, other string) {
	t.Helper()
	r := oauth2.NewTokenRequest(c)
	got, err := url.ParseQuery(r.Body)
	want := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}, "scope": {c.Scope}}
	for name := range got {
		if !want.Has(name) { // of a key that may be unset
			want.Set(name, other)
		}
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q is read as %q, %v", r.Body, got, err)
	}
	if c.Scope == "" || strings.ContainsFunc(c.Scope, unfit) {
		t.Errorf("scope %q", c.Scope)
	}
}
