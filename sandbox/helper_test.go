package sandbox

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// patience bounds every wait. It is no measure of how long things take.
const patience = 20 * time.Second

// httpClient keeps no connections: net/http retries requests that fail on a reused one, which would hide cut-offs.
var httpClient = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

func start(t *testing.T, c Config) *Sandbox {
	t.Helper()
	s, err := Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// result is a response that has been read.
type result struct {
	status int
	header http.Header
	body   string
}

func try(r *http.Request) (result, error) {
	response, err := httpClient.Do(r)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return result{response.StatusCode, response.Header, string(body)}, err
}

// do sends a request that must get a response with this status.
func do(t *testing.T, r *http.Request, status int) result {
	t.Helper()
	a, err := try(r)
	if err != nil {
		t.Fatal(err)
	}
	if a.status != status {
		t.Fatalf("%s %s: status %d, want %d; body %s", r.Method, r.URL.Path, a.status, status, a.body)
	}
	return a
}

func (a result) decode(t *testing.T, v any) {
	t.Helper()
	if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("content type %q is not JSON", got)
	}
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("body %q: %v", a.body, err)
	}
}

// wantError checks the error code in a body, and that the message has a text.
func (a result) wantError(t *testing.T, code, text string) {
	t.Helper()
	var body struct{ Error string }
	a.decode(t, &body)
	if body.Error != code || !strings.Contains(a.body, text) {
		t.Errorf("error %q, want %q with %q in %s", body.Error, code, text, a.body)
	}
}

func request(method, address, body string) *http.Request {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	return r
}

// form returns a valid token request of the stage client, for tests to change.
func form(s *Sandbox) url.Values {
	id, secret := s.Client(Stage)
	return url.Values{
		"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}, "scope": {"automatic-rostering-stage"},
	}
}

func tokenRequest(s *Sandbox, f url.Values) *http.Request {
	r := request("POST", s.AuthURL()+"/connect/token", f.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// grant is the response to a valid token request.
type grant struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"`
	TokenType   string `json:"token_type"`
}

func granted(t *testing.T, s *Sandbox) (g grant) {
	t.Helper()
	do(t, tokenRequest(s, form(s)), 200).decode(t, &g)
	return g
}

func jobsRequest(s *Sandbox, token string) *http.Request {
	r := request("GET", s.BaseURL()+"/jobs", "")
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("CUSTOMER_ID", "customer-1")
	r.Header.Set("USER_ID", "user-1")
	return r
}

// control sends a request to the control API.
func control(t *testing.T, s *Sandbox, method, path, body string, status int) result {
	t.Helper()
	return do(t, request(method, s.ControlURL()+path, body), status)
}
