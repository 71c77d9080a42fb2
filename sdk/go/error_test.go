package rostering_test

import (
	"encoding/json"
	"errors"
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
	if want := "service_error: " + e.Message; e.Message == "" || err.Error() != want {
		t.Errorf("it prints as %q, want %q", err, want)
	}
	var object map[string]any
	text, err := json.Marshal(e)
	if err != nil || json.Unmarshal(text, &object) != nil || object["message"] != e.Message || object["status"] != 503.0 {
		t.Errorf("its JSON is %s, %v", text, err)
	}
}

func TestErrorOfTheIdentityProvider(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{
		Server: "auth", Status: 429, Headers: map[string]string{"Retry-After": "90"},
		Body: `{"error":"slow_down","error_description":"too many"}`,
	})
	_, err := client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeTokenEndpointUnavailable)
	if e.OAuthError != "slow_down" || e.OAuthErrorDescription != "too many" || e.RetryAfter != 90*time.Second {
		t.Errorf("the error is %+v", e)
	}
}

func TestErrorOfTheConfig(t *testing.T) {
	config := rostering.Config{
		Environment: rostering.Stage, AuthURL: "https://login.example.com",
		ClientID: "client", ClientSecret: "s3cr3t", RefreshMargin: 1500 * time.Millisecond,
	}
	newClient(t, config) // which is all that GetToken needs
	for key, change := range map[string]struct {
		code  rostering.Code
		value string
	}{
		"auth_url":       {rostering.CodeConfigMissing, ""},
		"client_secret":  {rostering.CodeConfigInvalid, "s3cr3t\n"},
		"environment":    {rostering.CodeConfigInvalid, "test"},
		"refresh_margin": {rostering.CodeConfigInvalid, "soon"},
		"base_url":       {rostering.CodeConfigInvalid, "rostering.example.com"},
	} {
		config.Keys = map[string]string{key: change.value}
		_, err := rostering.New(t.Context(), config, rostering.WithCacheDir(compiled))
		e := wantError(t, err, change.code)
		text, err := json.Marshal(e)
		if e.Key != key || e.Retryable || err != nil || !strings.Contains(string(text), `"key":"`+key+`"`) {
			t.Errorf("the error is %+v, as JSON %s, %v", e, text, err)
		}
		if strings.Contains(e.Error()+string(text), "s3cr3t") {
			t.Errorf("it shows the secret: %v", e)
		}
	}
}

func TestErrorOfTheNetwork(t *testing.T) {
	s := sandbox.Start()
	client := newClient(t, s.Config())
	s.Close()
	_, err := client.ListJobs(t.Context())
	e := wantError(t, err, rostering.CodeNetworkError)
	if !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(e.Message, "connection refused") {
		t.Errorf("the error is %v, of %v", err, errors.Unwrap(err))
	}
	text, err := json.Marshal(e)
	if err != nil || !strings.HasPrefix(string(text), `{"code":"network_error"`) {
		t.Errorf("its JSON is %s, %v", text, err)
	}
}

func TestATrapIsNoErrorOfTheContract(t *testing.T) {
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
