package rostering_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

// patience bounds every wait. It does not say how long things take.
const patience = 20 * time.Second

const wasm = "../../../dist/rostering-nowasi.wasm"

// compiled is where the tests keep the compiled plugin.
var compiled string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if _, err := os.Stat(wasm); err != nil {
			fmt.Fprintln(os.Stderr, "run make build first:", err)
			return 1
		}
		dir, err := os.MkdirTemp("", "rostering")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		compiled = filepath.Join(dir, "cache")
		return m.Run()
	}())
}

const jobs = `[{"id":1}]`

// service is an identity provider and a service in one. Each token is another one. A test
// may replace how they answer.
type service struct {
	*httptest.Server
	tokenRequests, requests atomic.Int64
	token, answer           atomic.Pointer[http.HandlerFunc]
}

func newService(t *testing.T) *service {
	s := &service{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect/token", func(w http.ResponseWriter, r *http.Request) {
		s.tokenRequests.Add(1)
		(*s.token.Load())(w, r)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		(*s.answer.Load())(w, r)
	})
	s.recover()
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *service) recover() {
	s.onToken(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"access_token":"access-token-%d","expires_in":3600,"token_type":"Bearer"}`, s.tokenRequests.Load())
	})
	s.onRequest(reply(http.StatusOK, jobs))
}

func (s *service) onToken(h http.HandlerFunc)   { s.token.Store(&h) }
func (s *service) onRequest(h http.HandlerFunc) { s.answer.Store(&h) }

// refuse has the service answer 401 to a token, after h has seen the request.
func (s *service) refuse(token string, h http.HandlerFunc) {
	s.onRequest(func(w http.ResponseWriter, r *http.Request) {
		h(w, r)
		if r.Header.Get("Authorization") == "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
}

func (s *service) wantRequests(t *testing.T, tokens, requests int64) {
	t.Helper()
	if got := s.tokenRequests.Load(); got != tokens {
		t.Errorf("%d token requests, want %d", got, tokens)
	}
	if got := s.requests.Load(); got != requests {
		t.Errorf("%d requests to the service, want %d", got, requests)
	}
}

func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func nothing(http.ResponseWriter, *http.Request) {}

// hold holds answers back until release is closed or the client has gone, and reports each
// request.
func hold(release <-chan struct{}, h http.HandlerFunc) (held http.HandlerFunc, arrived <-chan struct{}) {
	c := make(chan struct{}, 100)
	return func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // net/http notices that a client has gone once the body is read
		c <- struct{}{}
		select {
		case <-release:
			h(w, r)
		case <-r.Context().Done():
		case <-time.After(patience):
		}
	}, c
}

func (s *service) config() rostering.Config {
	return rostering.Config{
		Environment: rostering.Stage,
		AuthURL:     s.URL, BaseURL: s.URL,
		ClientID: "client", ClientSecret: "the-secret",
		CustomerID: "customer", UserID: "user",
	}
}

func (s *service) client(t *testing.T, options ...rostering.Option) *rostering.Client {
	t.Helper()
	return newClient(t, s.config(), options...)
}

// newClient creates a client that is closed at the end of the test.
func newClient(t *testing.T, config rostering.Config, options ...rostering.Option) *rostering.Client {
	t.Helper()
	options = append([]rostering.Option{rostering.WithPluginFile(wasm), rostering.WithCacheDir(compiled)}, options...)
	c, err := rostering.New(t.Context(), config, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func wantJobs(t *testing.T, client *rostering.Client) {
	t.Helper()
	r, err := client.ListJobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Body) != jobs || r.Status != http.StatusOK {
		t.Errorf("the response is %d %q", r.Status, r.Body)
	}
}

// wantError returns the error of a call that must fail with a code.
func wantError(t *testing.T, err error, code rostering.Code) *rostering.Error {
	t.Helper()
	e, ok := errors.AsType[*rostering.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("the error is %v, want %s", err, code)
	}
	return e
}
