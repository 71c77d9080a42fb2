package sandbox

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	oidcclient "github.com/zitadel/oidc/v3/pkg/client"
)

func TestTokenForEachEnvironment(t *testing.T) {
	s := start(t, Config{})
	for _, environment := range []string{Stage, Production} {
		t.Run(environment, func(t *testing.T) {
			a := do(t, tokenRequest(t, s, form(s, environment)))
			a.want(t, http.StatusOK)
			if got := a.header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control %q", got)
			}
			var g grant
			a.decode(t, &g)
			if g.TokenType != "Bearer" || g.ExpiresIn != 3600 {
				t.Errorf("type %q, expires in %d", g.TokenType, g.ExpiresIn)
			}
			checkToken(t, s, g.AccessToken, Scope(environment))
			getJobs(t, s, g.AccessToken).want(t, http.StatusOK)
		})
	}
}

func checkToken(t *testing.T, s *Sandbox, token, scope string) {
	t.Helper()
	var header struct{ Alg, Kid string }
	decodePart(t, token, 0, &header)
	if header.Alg != signAlgorithm || header.Kid == "" {
		t.Errorf("header %+v", header)
	}
	c := claimsOf(t, token)
	if c.Issuer != s.AuthURL() || c.Scope != scope || c.ID == "" {
		t.Errorf("claims %+v", c)
	}
	if life := c.Expiry - c.IssuedAt; life < 3600 || life > 3601 {
		t.Errorf("the token lives %d seconds", life)
	}
}

func TestTokenRefused(t *testing.T) {
	s := start(t, Config{StageSecret: "stage-secret-1", ProductionSecret: "production-secret-1"})
	set := func(key string, values ...string) func(url.Values) {
		return func(f url.Values) { f[key] = values }
	}
	for name, c := range map[string]struct {
		spoil  func(url.Values)
		status int
		code   string
	}{
		"wrong secret":              {set("client_secret", "guess"), 401, "invalid_client"},
		"no secret":                 {set("client_secret"), 401, "invalid_client"},
		"other environment's":       {set("client_secret", "production-secret-1"), 401, "invalid_client"},
		"unknown client":            {set("client_id", "nobody"), 401, "invalid_client"},
		"no client":                 {set("client_id"), 400, "invalid_request"},
		"wrong scope":               {set("scope", "everything"), 400, "invalid_scope"},
		"other environment's scope": {set("scope", ProductionScope), 400, "invalid_scope"},
		"two scopes":                {set("scope", StageScope+" "+ProductionScope), 400, "invalid_scope"},
		"no scope":                  {set("scope"), 400, "invalid_scope"},
		"empty scope":               {set("scope", ""), 400, "invalid_scope"},
		"no grant type":             {set("grant_type"), 400, "invalid_request"},
		"unknown grant type":        {set("grant_type", "wish"), 400, "unsupported_grant_type"},
		"jwt bearer grant":          {set("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), 400, "invalid_request"},
		"authorization code grant":  {set("grant_type", "authorization_code"), 400, "unauthorized_client"},
		"a field twice":             {set("scope", StageScope, StageScope), 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			f := form(s, Stage)
			c.spoil(f)
			a := do(t, tokenRequest(t, s, f))
			a.want(t, c.status)
			if got := a.code(t); got != c.code {
				t.Errorf("error %q, want %q", got, c.code)
			}
			if strings.Contains(a.body, "secret-1") || strings.Contains(a.body, "access_token") {
				t.Errorf("body %s", a.body)
			}
		})
	}
}

func TestTokenRequestMustBeAPostedForm(t *testing.T) {
	s := start(t, Config{})
	endpoint := s.AuthURL() + "/connect/token"
	good := form(s, Stage)
	for name, c := range map[string]struct {
		request func() *http.Request
		status  int
		code    string
	}{
		"query of a GET": {func() *http.Request {
			return newRequest(t, http.MethodGet, endpoint+"?"+good.Encode(), "")
		}, 405, "invalid_request"},
		"query of a POST": {func() *http.Request {
			r := tokenRequest(t, s, nil)
			r.URL.RawQuery = good.Encode()
			return r
		}, 400, "invalid_request"},
		"no content type": {func() *http.Request {
			return newRequest(t, http.MethodPost, endpoint, good.Encode())
		}, 400, "invalid_request"},
		"not a form": {func() *http.Request {
			r := newRequest(t, http.MethodPost, endpoint, "%zz")
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			return r
		}, 400, "invalid_request"},
		"basic authentication": {func() *http.Request {
			r := tokenRequest(t, s, good)
			r.SetBasicAuth(s.Client(Stage))
			return r
		}, 401, "invalid_client"},
		"huge": {func() *http.Request {
			return tokenRequest(t, s, url.Values{"scope": {strings.Repeat("x", 2*maxBody)}})
		}, 400, "invalid_request"},
		"another path": {func() *http.Request {
			return newRequest(t, http.MethodPost, s.AuthURL()+"/oauth/token", "")
		}, 404, "not_found"},
		"keys posted": {func() *http.Request {
			return newRequest(t, http.MethodPost, s.AuthURL()+"/keys", "")
		}, 405, "method_not_allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			a := do(t, c.request())
			a.want(t, c.status)
			if got := a.code(t); got != c.code {
				t.Errorf("error %q, want %q", got, c.code)
			}
		})
	}
}

func TestTokensAreDistinct(t *testing.T) {
	s := start(t, Config{})
	const n = 8
	results := tryAll(n, func() *http.Request { return tokenRequest(t, s, form(s, Stage)) })
	seen := make(map[string]bool)
	for a := range results {
		a.want(t, http.StatusOK)
		var g grant
		a.decode(t, &g)
		seen[claimsOf(t, g.AccessToken).ID] = true
	}
	if len(seen) != n {
		t.Errorf("%d ids for %d tokens", len(seen), n)
	}
}

func TestDiscovery(t *testing.T) {
	s := start(t, Config{})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d, err := oidcclient.Discover(ctx, s.AuthURL(), httpClient)
	if err != nil {
		t.Fatal(err)
	}
	if d.TokenEndpoint != s.AuthURL()+"/connect/token" || d.JwksURI != s.AuthURL()+"/keys" {
		t.Errorf("token endpoint %q, keys %q", d.TokenEndpoint, d.JwksURI)
	}
}

func TestRoundUp(t *testing.T) {
	whole := time.Unix(1000, 0)
	for in, want := range map[time.Time]time.Time{
		whole:                      whole,
		whole.Add(1):               whole.Add(time.Second),
		whole.Add(time.Second - 1): whole.Add(time.Second),
	} {
		if got := roundUp(in); !got.Equal(want) {
			t.Errorf("roundUp(%v) = %v, want %v", in, got, want)
		}
	}
}
