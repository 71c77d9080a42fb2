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
	s := sandbox.New(t)
	config := s.Config()
	config.Environment = "test"
	config.RefreshMargin = 1500 * time.Millisecond
	_, err := newClient(t, config).ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeConfigInvalid); e.Key != "environment" {
		t.Errorf("the error is %+v", e)
	}
	config.Keys = map[string]string{"environment": "stage", "refresh_margin": "soon"}
	_, err = newClient(t, config).ListJobs(t.Context())
	if e := wantError(t, err, rostering.CodeConfigInvalid); e.Key != "refresh_margin" {
		t.Errorf("the error is %+v", e)
	}
	s.WantCounts(t, 0, 0)
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

// brokenPlugin has the exports, all of which execute unreachable.
func brokenPlugin() []byte {
	names := []string{"begin", "resume", "get_token", "set_token", "clear_token"}
	exports := []byte{byte(len(names))}
	for _, name := range names {
		exports = append(exports, byte(len(name)))
		exports = append(exports, name+"\x00\x00"...) // function 0
	}
	return append(stamped("rostering", `{"contract":1}`), ""+
		"\x01\x05\x01\x60\x00\x01\x7f"+ // type 0: no parameters, one i32
		"\x03\x02\x01\x00"+ // function 0 is of type 0
		"\x07"+string(rune(len(exports)))+string(exports)+
		"\x0a\x05\x01\x03\x00\x00\x0b"...) // its code: unreachable, end
}

func TestATrapIsNoErrorOfTheContract(t *testing.T) {
	client := newClient(t, rostering.Config{}, rostering.WithPlugin(brokenPlugin()))
	_, err := client.ListJobs(t.Context())
	if want := "rostering: the plugin failed: wasm error: unreachable"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
