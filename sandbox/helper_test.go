package sandbox

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait. It is no measure of how long things take.
const patience = 20 * time.Second

// httpClient keeps no connections: net/http retries requests that fail on a reused one, which would
// hide cut-offs.
var httpClient = &http.Client{
	Timeout:   patience,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// result is a response that has been read.
type result struct {
	status int
	header http.Header
	body   string
}

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

func newRequest(t *testing.T, method, address, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
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

func do(t *testing.T, r *http.Request) result {
	t.Helper()
	a, err := try(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tryAll sends n requests at once. A request that failed has the zero result.
func tryAll(n int, request func() *http.Request) <-chan result {
	results := make(chan result, n)
	var wg sync.WaitGroup
	for range n {
		r := request()
		wg.Go(func() {
			a, _ := try(r)
			results <- a
		})
	}
	wg.Wait()
	close(results)
	return results
}

func (a result) want(t *testing.T, status int) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d; body %s", a.status, status, a.body)
	}
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

// code returns the error code in an error body.
func (a result) code(t *testing.T) string {
	t.Helper()
	var body struct{ Error string }
	a.decode(t, &body)
	return body.Error
}

// form returns a valid token request, for tests to change.
func form(s *Sandbox, environment string) url.Values {
	id, secret := s.Client(environment)
	return url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {id},
		"client_secret": {secret},
		"scope":         {Scope(environment)},
	}
}

func tokenRequest(t *testing.T, s *Sandbox, f url.Values) *http.Request {
	t.Helper()
	r := newRequest(t, http.MethodPost, s.AuthURL()+"/connect/token", f.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// grant is the response to a valid token request.
type grant struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"`
	TokenType   string `json:"token_type"`
}

func granted(t *testing.T, s *Sandbox, environment string) grant {
	t.Helper()
	a := do(t, tokenRequest(t, s, form(s, environment)))
	a.want(t, http.StatusOK)
	var g grant
	a.decode(t, &g)
	return g
}

func newToken(t *testing.T, s *Sandbox) string {
	t.Helper()
	return granted(t, s, Stage).AccessToken
}

func jobsRequest(t *testing.T, s *Sandbox, token string) *http.Request {
	t.Helper()
	r := newRequest(t, http.MethodGet, s.BaseURL()+"/jobs", "")
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("CUSTOMER_ID", "customer-1")
	r.Header.Set("USER_ID", "user-1")
	return r
}

func getJobs(t *testing.T, s *Sandbox, token string) result {
	t.Helper()
	return do(t, jobsRequest(t, s, token))
}

// claims are claims of a token, which are not verified.
type claims struct {
	Issuer   string `json:"iss"`
	Scope    string `json:"scope"`
	ID       string `json:"jti"`
	IssuedAt int64  `json:"iat"`
	Expiry   int64  `json:"exp"`
}

func claimsOf(t *testing.T, token string) claims {
	t.Helper()
	var c claims
	decodePart(t, token, 1, &c)
	return c
}

func decodePart(t *testing.T, token string, part int, v any) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("the token has %d parts", len(parts))
	}
	b, err := base64.RawURLEncoding.DecodeString(parts[part])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}
