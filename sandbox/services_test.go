package sandbox

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestToken(t *testing.T) {
	s := start(t, Config{})
	for environment, scope := range map[string]string{Stage: "automatic-rostering-stage", Production: "automatic-rostering-prod"} {
		f := form(s)
		id, secret := s.Client(environment)
		f["client_id"], f["client_secret"], f["scope"] = []string{id}, []string{secret}, []string{scope}
		a := do(t, tokenRequest(s, f), 200)
		var g grant
		a.decode(t, &g)
		if g.TokenType != "Bearer" || g.ExpiresIn != 3600 || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: type %q, expires in %d, headers %v", environment, g.TokenType, g.ExpiresIn, a.header)
		}
		do(t, jobsRequest(s, g.AccessToken), 200)
	}
	if id, secret := s.Client("other"); id != "" || secret != "" {
		t.Error("an unknown environment has a client")
	}
}

func TestTokenRequestRefused(t *testing.T) {
	s := start(t, Config{})
	_, production := s.Client(Production)
	stage, prod := "automatic-rostering-stage", "automatic-rostering-prod"
	field := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) {
			f := form(s)
			f[name] = values
			*r = *tokenRequest(s, f)
		}
	}
	for name, c := range map[string]struct {
		spoil  func(*http.Request)
		status int
		code   string
	}{
		"wrong secret":              {field("client_secret", "guess"), 401, "invalid_client"},
		"no secret":                 {field("client_secret"), 401, "invalid_client"},
		"other environment's":       {field("client_secret", production), 401, "invalid_client"},
		"unknown client":            {field("client_id", "nobody"), 401, "invalid_client"},
		"no client":                 {field("client_id"), 400, "invalid_request"},
		"wrong scope":               {field("scope", "everything"), 400, "invalid_scope"},
		"other environment's scope": {field("scope", prod), 400, "invalid_scope"},
		"two scopes":                {field("scope", stage+" "+prod), 400, "invalid_scope"},
		"no scope":                  {field("scope"), 400, "invalid_scope"},
		"no grant type":             {field("grant_type"), 400, "invalid_request"},
		"unknown grant type":        {field("grant_type", "wish"), 400, "unsupported_grant_type"},
		"a field twice":             {field("scope", stage, stage), 400, "invalid_request"},
		"huge":                      {field("scope", strings.Repeat("x", 2*maxBody)), 400, "invalid_request"},
		"GET":                       {func(r *http.Request) { r.Method = "GET" }, 405, "invalid_request"},
		"query":                     {func(r *http.Request) { r.URL.RawQuery = form(s).Encode() }, 400, "invalid_request"},
		"no content type":           {func(r *http.Request) { r.Header.Del("Content-Type") }, 400, "invalid_request"},
		"basic authentication":      {func(r *http.Request) { r.SetBasicAuth(s.Client(Stage)) }, 401, "invalid_client"},
		"another path":              {func(r *http.Request) { r.URL.Path = "/oauth/token" }, 404, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			r := tokenRequest(s, form(s))
			c.spoil(r)
			do(t, r, c.status).wantError(t, c.code, "")
		})
	}
}

func TestJobs(t *testing.T) {
	s := start(t, Config{})
	r := jobsRequest(s, "")
	r.Header.Set("Authorization", "bearer "+granted(t, s).AccessToken) // a scheme in any case
	a := do(t, r, 200)
	var list map[string]any
	a.decode(t, &list)
	jobs, _ := list["jobs"].([]any)
	if list["customer_id"] != "customer-1" || list["user_id"] != "user-1" || len(jobs) != 2 || list["sandbox"] != madeUp {
		t.Errorf("jobs %s", a.body)
	}
}

func TestJobsRefused(t *testing.T) {
	s := start(t, Config{})
	token := granted(t, s).AccessToken
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
	}
	for name, c := range map[string]struct {
		spoil      func(*http.Request)
		status     int
		code, says string
	}{
		"no customer":   {header("CUSTOMER_ID"), 400, "missing_header", "CUSTOMER_ID"},
		"blank user":    {header("USER_ID", " "), 400, "missing_header", "USER_ID"},
		"two users":     {header("USER_ID", "a", "b"), 400, "missing_header", "USER_ID"},
		"no token":      {header("Authorization"), 401, "missing_token", "Authorization"},
		"empty token":   {header("Authorization", "Bearer "), 401, "missing_token", ""},
		"other scheme":  {header("Authorization", "Basic abc"), 401, "missing_token", ""},
		"two tokens":    {header("Authorization", "Bearer a", "Bearer b"), 401, "missing_token", ""},
		"not a token":   {header("Authorization", "Bearer nonsense"), 401, "invalid_token", errUnknown.Error()},
		"changed token": {header("Authorization", "Bearer "+token+"x"), 401, "invalid_token", errUnknown.Error()},
		"other path":    {func(r *http.Request) { r.URL.Path = "/"; r.Header.Del("Authorization") }, 401, "missing_token", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := jobsRequest(s, token)
			c.spoil(r)
			a := do(t, r, c.status)
			a.wantError(t, c.code, c.says)
			if challenge := a.header.Get("WWW-Authenticate"); strings.Contains(challenge, "Bearer ") != (c.status == 401) {
				t.Errorf("WWW-Authenticate %q", challenge)
			}
		})
	}
}

// Every other method and path gets an echo, without the token.
func TestEcho(t *testing.T) {
	s := start(t, Config{})
	for _, method := range []string{"GET", "POST", "DELETE", "QUERY"} {
		r := request(method, s.BaseURL()+"/orders/a%20b?day=1", "a body")
		r.Header.Set("Authorization", "Bearer "+granted(t, s).AccessToken)
		r.Header["X-Color"] = []string{"red", "blue"}
		var got struct {
			Sandbox, Method, Path, Query, Body string
			Headers                            map[string]string
		}
		do(t, r, 200).decode(t, &got)
		if got.Method != method || got.Path != "/orders/a%20b" || got.Query != "day=1" || got.Body != "a body" ||
			got.Headers["x-color"] != "red, blue" || got.Headers["authorization"] != "" || got.Sandbox != madeUp {
			t.Errorf("%s: %+v", method, got)
		}
	}
}

func TestTokenExpires(t *testing.T) {
	s := start(t, Config{Lifetime: time.Second})
	token := granted(t, s).AccessToken
	time.Sleep(time.Second)
	do(t, jobsRequest(s, token), 401).wantError(t, "invalid_token", errExpired.Error())
	control(t, s, "POST", "/lifetime", `{"seconds":42}`, 204)
	if got := granted(t, s); got.ExpiresIn != 42 {
		t.Errorf("expires in %d", got.ExpiresIn)
	}
	do(t, jobsRequest(s, token), 401).wantError(t, "invalid_token", errExpired.Error())
}

func TestLedgerForgetsExpiredTokens(t *testing.T) {
	l := newLedger()
	l.add("gone", time.Now().Add(-2*kept))
	l.add("expired", time.Now().Add(-kept/2))
	l.add("valid", time.Now().Add(time.Hour))
	verify := func(token string) error { return l.verify(token, time.Time{}) }
	if verify("gone") != errUnknown || verify("expired") != errExpired || verify("valid") != nil || len(l.valid()) != 1 {
		t.Errorf("ledger %v", l.tokens)
	}
}

func TestRevokeRotateAndReset(t *testing.T) {
	s := start(t, Config{})
	old, before := form(s), granted(t, s).AccessToken
	var secrets map[string]string
	control(t, s, "POST", "/rotate", "", 200).decode(t, &secrets)
	do(t, tokenRequest(s, old), 401).wantError(t, "invalid_client", "")
	if rotated := form(s); secrets[Stage] != rotated.Get("client_secret") || secrets[Production] == "" || len(secrets) != 2 {
		t.Errorf("it returned %q", secrets)
	}
	do(t, jobsRequest(s, before), 200)
	control(t, s, "POST", "/revoke", "", 204)
	do(t, jobsRequest(s, before), 401).wantError(t, "invalid_token", errUnknown.Error())
	after := granted(t, s).AccessToken

	control(t, s, "POST", "/lifetime", `{"seconds":5}`, 204)
	control(t, s, "POST", "/faults", `{"server":"jobs","status":500}`, 204)
	control(t, s, "POST", "/reset", "", 204)
	if got := s.Counts(); got != (Counts{}) || len(s.Requests()) != 0 {
		t.Errorf("after the reset it counts %+v", got)
	}
	do(t, jobsRequest(s, after), 200)
	var g grant
	do(t, tokenRequest(s, old), 200).decode(t, &g)
	if g.ExpiresIn != 3600 {
		t.Errorf("after the reset a token lives for %d s", g.ExpiresIn)
	}
}

// Neither errors nor the log repeat a secret, wherever a client puts it by mistake.
func TestNothingLeaks(t *testing.T) {
	var log bytes.Buffer
	s := start(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	f, token := form(s), granted(t, s).AccessToken
	s.Revoke()
	private, bodies := []string{token, f.Get("client_secret")}, ""
	for _, secret := range private {
		requests := []*http.Request{jobsRequest(s, secret), jobsRequest(s, "x"+secret)}
		for _, base := range []string{s.AuthURL() + "/connect/token", s.BaseURL() + "/jobs", s.ControlURL() + "/revoke"} {
			header := request("GET", base, "")
			header.Header.Set("Authorization", secret)
			requests = append(requests, header, request("X"+secret[len(secret)-8:], base, ""),
				request("GET", base+"?token="+url.QueryEscape(secret), ""), request("POST", base+"/"+secret, secret))
		}
		for _, field := range []string{"scope", "client_id", "client_secret"} {
			changed := form(s)
			changed.Set(field, secret+"x")
			requests = append(requests, tokenRequest(s, changed))
		}
		for _, r := range requests {
			a, err := try(r)
			if err != nil || a.status < 400 || a.status >= 500 {
				t.Errorf("%s %s: status %d, error %v", r.Method, r.URL.Path, a.status, err)
			}
			bodies += a.body
		}
	}
	_ = s.Close() // waits for the last lines of the log
	for _, p := range private {
		if all := bodies + log.String(); strings.Contains(all, p[len(p)-8:]) {
			t.Errorf("a secret is in an error or the log: %s", all)
		}
	}
}
