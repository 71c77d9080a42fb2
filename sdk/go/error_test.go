package rostering_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestError(t *testing.T) {
	s, client := open(t)
	token, err := client.GetToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Fault(sandbox.Fault{Server: "jobs", Status: 503, Body: "busy: " + string(token.AccessToken)})
	_, err = client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeServiceError)
	if !e.Retryable || e.Status != http.StatusServiceUnavailable || e.Body != "busy: [redacted]" || e.BodyTruncated {
		t.Errorf("the error is %+v", e)
	}
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]rostering.Error{
		"c: m":                             {},
		"c: m (status 503)":                {Status: 503},
		"c: m (unauthorized_client)":       {OAuthError: "unauthorized_client"},
		"c: m (status 401, bad: no, none)": {Status: 401, OAuthError: "bad", OAuthErrorDescription: "no, none"},
	} {
		e.Code, e.Message = "c", "m"
		if got := e.Error(); got != want {
			t.Errorf("it prints as %q, want %q", got, want)
		}
	}
	s := sandbox.New(t)
	config := s.Config()
	config.ClientSecret = "not-the-secret"
	_, err := newClient(t, config).ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeTokenEndpointRejected)
	if want := string(e.Code) + ": " + e.Message + " (status 401, invalid_client: "; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("it prints as %q, want %q", err, want)
	}
}

func TestErrorJSON(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{
		Server: "auth", Status: 429, Headers: map[string]string{"Retry-After": "90"},
		Body: `{"error":"slow_down","error_description":"too many"}`,
	})
	_, err := client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeTokenEndpointUnavailable)
	own := *e
	copied := rostering.Error{ // as a fake returns it
		Code: own.Code, Message: own.Message, Retryable: own.Retryable, Key: own.Key, Status: own.Status,
		OAuthError: own.OAuthError, OAuthErrorDescription: own.OAuthErrorDescription, RetryAfter: own.RetryAfter,
	}
	want := map[string]any{
		"code": "token_endpoint_unavailable", "message": e.Message, "retryable": true, "status": 429.0,
		"oauth_error": "slow_down", "oauth_error_description": "too many", "retry_after": 90.0,
	}
	for _, e := range []*rostering.Error{e, &copied} {
		var object map[string]any
		encoded, err := json.Marshal(e)
		if err != nil || json.Unmarshal(encoded, &object) != nil || !maps.Equal(object, want) {
			t.Errorf("the JSON is %s, %v, want %v", encoded, err, want)
		}
	}
}

// Messages name things as the caller wrote them, and Key has the contract's name.
func TestErrorNames(t *testing.T) {
	_, client := open(t)
	field := func(change func(*rostering.Config)) func() error {
		return func() error {
			config := fullConfig
			change(&config)
			c, err := rostering.New(t.Context(), config, rostering.WithCacheDir(compiled))
			if err == nil {
				defer func() { _ = c.Close() }()
				_, err = c.ListJobs(t.Context())
			}
			return err
		}
	}
	send := func(r rostering.Request) func() error {
		return func() error {
			_, err := client.SendRequest(t.Context(), r)
			return err
		}
	}
	for want, tt := range map[string]struct {
		key  string
		fail func() error
	}{
		"set AuthURL":                   {"auth_url", field(func(c *rostering.Config) { c.AuthURL = "" })},
		"BaseURL must":                  {"base_url", field(func(c *rostering.Config) { c.BaseURL = "x" })},
		"set ClientSecret":              {"client_secret", field(func(c *rostering.Config) { c.ClientSecret = "" })},
		"Environment must":              {"environment", field(func(c *rostering.Config) { c.Environment = "test" })},
		"Scope must":                    {"scope", field(func(c *rostering.Config) { c.Scope = "\t" })},
		"CustomerID: ":                  {"customer_id", field(func(c *rostering.Config) { c.CustomerID = " " })},
		"set UserID, or use ForUser or": {"user_id", field(func(c *rostering.Config) { c.UserID = "" })},
		"or AllowHTTP":                  {"auth_url", field(func(c *rostering.Config) { c.AuthURL = "http://login.example.com" })},
		"Refused must be the refused":   {"refused", func() error { _, err := client.GetToken(t.Context(), rostering.Refused("")); return err }},
		"ForCustomer: ":                 {"customer_id", func() error { _, err := client.ForCustomer("").ListJobs(t.Context()); return err }},
		"Path must":                     {"path", send(rostering.Request{Path: "jobs"})},
		"Method must":                   {"method", send(rostering.Request{Path: "/jobs", Method: "BREW"})},
		"ExpiresAt must":                {"expires_at", func() error { return client.SetToken(t.Context(), rostering.Token{AccessToken: "x"}) }},
	} {
		e, ok := errors.AsType[*rostering.Error](tt.fail())
		if !ok || !strings.Contains(e.Message, want) || e.Key != tt.key || strings.Contains(e.Message, tt.key) && strings.Contains(tt.key, "_") {
			t.Errorf("the error is %+v, which does not say %q about %s", e, want, tt.key)
		}
	}
	lost := rostering.WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("auth_url is lost")
	})})
	_, err := newClient(t, fullConfig, lost).ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeNetworkError); !strings.Contains(e.Message, "(auth_url is lost)") || !strings.Contains(e.Message, "AuthURL") {
		t.Errorf("the error is %+v", e)
	}
}

func TestNot2xx(t *testing.T) {
	s, client := open(t, rostering.WithMaxBody(1))
	s.Fault(sandbox.Fault{Server: "jobs", Status: 409, Headers: map[string]string{"Etag": "v1"}, Body: "taken"})
	_, err := client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeServiceError)
	if e.Status != http.StatusConflict || e.Header.Get("Etag") != "v1" || e.Body != "taken" {
		t.Errorf("the error is %+v", e)
	}
}

func TestNotModified(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 304, Headers: map[string]string{"Etag": "v1"}})
	request := rostering.Request{Path: "/jobs", Header: http.Header{"If-None-Match": {"v1"}}}
	for range 2 { // the plugin sees the first response, because the token is new
		r, err := client.SendRequest(t.Context(), request)
		if err != nil || r.Status != http.StatusNotModified || r.Header.Get("Etag") != "v1" || len(r.Body) != 0 {
			t.Fatalf("the response is %+v, %v", r, err)
		}
	}
	s.WantCounts(t, 1, 2)
}

func TestErrorCauseAndRetryAfter(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "jobs", Status: 503, Headers: map[string]string{"Retry-After": "7"}})
	_, err := client.ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeServiceError); e.RetryAfter != 7*time.Second {
		t.Errorf("the error is %+v", e)
	}
}

func TestErrorCause(t *testing.T) {
	s := sandbox.Start()
	client := newClient(t, s.Config())
	s.Close()
	_, err := client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeNetworkError)
	if !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(e.Message, "connection refused") {
		t.Errorf("the error is %v, of %v", err, errors.Unwrap(err))
	}
	encoded, err := json.Marshal(e)
	if err != nil || !strings.HasPrefix(string(encoded), `{"code":"network_error"`) {
		t.Errorf("its JSON is %s, %v", encoded, err)
	}
}

func TestTrapIsNoErrorOfTheContract(t *testing.T) {
	const broken = empty +
		"\x01\x05\x01\x60\x00\x01\x7f" + // type 0: no parameters, one i32
		"\x03\x02\x01\x00" + // function 0 is of type 0
		"\x07\x0b\x01\x07version\x00\x00" + // and an export
		"\x0a\x05\x01\x03\x00\x00\x0b" // its code: unreachable, end
	_, err := rostering.New(t.Context(), rostering.Config{}, rostering.WithPlugin([]byte(broken)))
	if want := "rostering: the plugin failed: wasm error: unreachable"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
