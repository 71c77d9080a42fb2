package rostering_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

// openTransport starts a sandbox, and returns an HTTP client with a Transport whose client has a token.
func openTransport(t *testing.T, base http.RoundTripper) (*sandbox.Sandbox, *http.Client, rostering.Token) {
	t.Helper()
	s, client := open(t)
	token, err := client.GetToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, &http.Client{Transport: newTransport(t, client, base)}, token
}

func newTransport(t *testing.T, client *rostering.Client, base http.RoundTripper) *rostering.Transport {
	t.Helper()
	transport, err := rostering.NewTransport(client, base)
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// send sends a request with the ids, and returns the status.
func send(t *testing.T, client *http.Client, method, url string, body io.Reader, header ...string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("CUSTOMER_ID", "c")
	r.Header.Set("USER_ID", "u")
	for i := 0; i < len(header); i += 2 {
		r.Header[header[i]] = []string{header[i+1]}
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.ReadAll(response.Body); err != nil {
		t.Error(err)
	}
	if _, ok := client.Transport.(*rostering.Transport); ok && hasToken(response.Request) {
		t.Error("the response shows the token")
	}
	return response.StatusCode
}

func hasToken(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func TestTransport(t *testing.T) {
	s, client, first := openTransport(t, nil)
	url := s.Config().BaseURL + "/jobs"
	for n := range 2 {
		if status := send(t, client, "GET", url, nil); status != http.StatusOK {
			t.Errorf("the status is %d", status)
		}
		s.WantCounts(t, 1+n, 1+2*n)
		s.Revoke()
	}
	if got := s.Requests("jobs")[0].Headers["authorization"]; got != "Bearer "+string(first.AccessToken) {
		t.Errorf("the header is %q", got)
	}
}

func TestTransportRenewsOnceForAll(t *testing.T) {
	s, client, _ := openTransport(t, nil)
	s.Revoke()
	together(20, func() {
		if status := send(t, client, "GET", s.Config().BaseURL+"/jobs", nil); status != http.StatusOK {
			t.Errorf("the status is %d", status)
		}
	})
	if got := len(s.Requests("auth")); got != 2 {
		t.Errorf("%d token requests", got)
	}
}

func TestTransportRepeatsBodies(t *testing.T) {
	for content, tt := range map[string]struct {
		body   io.Reader
		status int
		times  int
	}{
		"again": {strings.NewReader("again"), http.StatusMethodNotAllowed, 2},
		"":      {http.NoBody, http.StatusMethodNotAllowed, 2},
		"once":  {io.MultiReader(strings.NewReader("once")), http.StatusUnauthorized, 1},
	} {
		s, client, _ := openTransport(t, nil)
		s.Fault(sandbox.Fault{Server: "jobs", Status: 401, Requests: 1})
		url := s.Config().BaseURL + "/jobs"
		if status := send(t, client, "POST", url, tt.body); status != tt.status {
			t.Errorf("%q: the status is %d, want %d", content, status, tt.status)
		}
		s.WantCounts(t, 2, tt.times)
		for _, r := range s.Requests("jobs") {
			if r.Body != content {
				t.Errorf("%q was sent, want %q", r.Body, content)
			}
		}
		if status := send(t, client, "GET", url, nil); status != http.StatusOK {
			t.Errorf("with the new token, the status is %d", status)
		}
		s.WantCounts(t, 2, tt.times+1)
	}
}

func TestTransportLeavesTheCallersAuthorizationAlone(t *testing.T) {
	s, client, _ := openTransport(t, nil)
	for _, name := range []string{"Authorization", "authorization"} {
		if status := send(t, client, "GET", s.Config().BaseURL+"/jobs", nil, name, "Basic x"); status != http.StatusUnauthorized {
			t.Errorf("the status is %d", status)
		}
	}
	s.WantCounts(t, 1, 2)
	if got := s.Requests("jobs")[1].Headers["authorization"]; got != "Basic x" {
		t.Errorf("the header is %q", got)
	}
}

// The other server answers on the same host, at another port.
func TestNoTokenForAnotherOrigin(t *testing.T) {
	s, client, _ := openTransport(t, nil)
	base := s.Config().BaseURL
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("the other server got %s", got)
		}
		if r.URL.Path == "/back" {
			http.Redirect(w, r, base+"/jobs", http.StatusTemporaryRedirect)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer other.Close()
	if got := send(t, client, "GET", other.URL, nil); got != http.StatusUnauthorized {
		t.Errorf("the status is %d", got)
	}
	s.WantCounts(t, 1, 0)
	for _, status := range []int{302, 307, 308} {
		s.Fault(sandbox.Fault{Server: "jobs", Status: status, Headers: map[string]string{"Location": other.URL}, Requests: 1})
		if got := send(t, client, "PUT", base+"/jobs", strings.NewReader("x")); got != http.StatusUnauthorized {
			t.Errorf("redirected with %d, the status is %d", status, got)
		}
	}
	if got := send(t, client, "GET", other.URL+"/back", nil); got != http.StatusOK {
		t.Errorf("redirected to the service, the status is %d", got)
	}
	s.WantCounts(t, 1, 4)
}

func TestOrigins(t *testing.T) {
	s := sandbox.New(t)
	config := s.Config()
	for base, urls := range map[string]map[string]bool{
		"https://Api.Example.com/v1": {
			"https://api.example.com/": true, "HTTPS://api.example.com:443": true, "https://user@API.example.com?a": true,
			"http://api.example.com/": false, "https://api.example.com:8443": false, "https://api.example.com.": false,
			"https://example.com": false, "https://api.example.com.evil.example": false, "https://api.example.com@evil.example": false,
		},
		"http://127.0.0.1:80": {"http://127.0.0.1/": true, "http://127.0.0.1:443/": false, "https://127.0.0.1:80/": false},
		"http://[::1]:8080":   {"http://[::1]:8080/x": true, "http://[::1]/": false},
	} {
		config.BaseURL = base
		for url, want := range urls {
			var got bool
			transport := newTransport(t, newClient(t, config), roundTripper(func(r *http.Request) (*http.Response, error) {
				got = hasToken(r)
				return nil, errSent
			}))
			r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := transport.RoundTrip(r); !errors.Is(err, errSent) || got != want {
				t.Errorf("%s gets the token of %s: %v, want %v, %v", url, base, got, want, err)
			}
		}
	}
}

var errSent = errors.New("sent")

// tracked is a body that records whether it was closed, and whether it was read to its end.
type tracked struct {
	io.Reader
	closed, read bool
}

func (b *tracked) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.read = b.read || err != nil
	return n, err
}

func (b *tracked) Close() error {
	b.closed = true
	return nil
}

func TestTransportErrors(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "auth", Status: 503})
	body := &tracked{Reader: strings.NewReader("x")}
	_, err := (&http.Client{Transport: newTransport(t, client, nil)}).Post(s.Config().BaseURL+"/jobs", "text/plain", body)
	wantError(t, err, rostering.CodeTokenEndpointUnavailable)
	if !body.closed {
		t.Error("the body is not closed")
	}
	s.WantCounts(t, 1, 0)
}

func TestBaseURL(t *testing.T) {
	config := fullConfig
	config.BaseURL = ""
	_, err := rostering.NewTransport(newClient(t, config), nil)
	if e := wantError(t, err, rostering.CodeConfigMissing); e.Key != "base_url" {
		t.Errorf("the error is %+v", e)
	}
}

func TestTransportClosesTheFirstResponse(t *testing.T) {
	var bodies []*tracked
	s, client, _ := openTransport(t, roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			bodies = append(bodies, &tracked{Reader: response.Body})
			response.Body = bodies[len(bodies)-1]
		}
		return response, err
	}))
	s.Revoke()
	send(t, client, "GET", s.Config().BaseURL+"/jobs", nil)
	if len(bodies) != 2 || !bodies[0].closed || !bodies[0].read {
		t.Errorf("the first of %d responses: closed %v, read %v", len(bodies), bodies[0].closed, bodies[0].read)
	}
}

func TestService401(t *testing.T) {
	for _, fault := range []sandbox.Fault{{Server: "auth", Status: 503}, {Server: "auth", Status: 400}} {
		s, client, _ := openTransport(t, nil)
		s.Fault(sandbox.Fault{Server: "jobs", Status: 401, Body: "go away"})
		s.Fault(fault)
		response, err := client.Get(s.Config().BaseURL + "/jobs")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized || string(body) != "go away" || err != nil {
			t.Errorf("the response is %d %q, %v", response.StatusCode, body, err)
		}
		s.WantCounts(t, 2, 1)
	}
}

func TestTransportEndsWithItsContext(t *testing.T) {
	s, client := open(t)
	s.Fault(sandbox.Fault{Server: "auth", Hold: true})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		s.Wait(1, 0)
		cancel()
	}()
	r, err := http.NewRequestWithContext(ctx, "GET", s.Config().BaseURL+"/jobs", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newTransport(t, client, nil).RoundTrip(r); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	s.ClearFaults()
}

func TestTokenSource(t *testing.T) {
	s, client := open(t)
	source := client.TokenSource(t.Context())
	token, err := source.Token()
	want, _ := client.GetToken(t.Context())
	if err != nil || token.AccessToken != string(want.AccessToken) || !token.Expiry.Equal(want.ExpiresAt) || token.Type() != "Bearer" {
		t.Errorf("the token is %+v, %v", token, err)
	}
	if status := send(t, oauth2.NewClient(t.Context(), source), "GET", s.Config().BaseURL+"/jobs", nil); status != http.StatusOK {
		t.Errorf("the status is %d", status)
	}
	s.WantCounts(t, 1, 1)
	if err := client.ClearToken(t.Context()); err != nil {
		t.Error(err)
	}
	s.Fault(sandbox.Fault{Server: "auth", Status: 400})
	_, err = source.Token()
	wantError(t, err, rostering.CodeTokenEndpointRejected)
}
