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

// A message ends with the name that the caller used, and Key has the contract's name.
func TestErrorNames(t *testing.T) {
	_, client := open(t)
	newWith := func(change func(*rostering.Config)) error {
		config := fullConfig
		change(&config)
		_, err := rostering.New(t.Context(), config)
		return err
	}
	send := func(r rostering.Request) error {
		_, err := client.SendRequest(t.Context(), r)
		return err
	}
	_, refused := client.GetToken(t.Context(), rostering.Refused(""))
	_, noCustomer := client.ForCustomer("").ListJobs(t.Context())
	for _, tt := range []struct {
		err       error
		key, want string
	}{
		{newWith(func(c *rostering.Config) { c.AuthURL = "" }), "auth_url", " (AuthURL, ROSTERING_AUTH_URL)"},
		{newWith(func(c *rostering.Config) { c.Environment = "test" }), "environment", " (Environment, ROSTERING_ENVIRONMENT)"},
		{newWith(func(c *rostering.Config) { c.CustomerID = " " }), "customer_id", " (CustomerID, ROSTERING_CUSTOMER_ID)"},
		{noCustomer, "customer_id", " (ForCustomer)"},
		{refused, "refused", " (Refused)"},
		{send(rostering.Request{Path: "jobs"}), "path", " (Path)"},
		{send(rostering.Request{Path: "/", Header: http.Header{"Authorization": {"x"}}}), "headers", " (Header)"},
		{client.SetToken(t.Context(), rostering.Token{AccessToken: "x"}), "expires_at", " (ExpiresAt)"},
	} {
		e, ok := errors.AsType[*rostering.Error](tt.err)
		if !ok || e.Key != tt.key || !strings.HasSuffix(e.Message, tt.want) {
			t.Errorf("the error is %+v, want the key %s and a message that ends with %s", tt.err, tt.key, tt.want)
		}
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
