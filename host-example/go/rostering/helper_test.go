package rostering_test

import (
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

// patience bounds every wait. It is no measure of how long things take.
const patience = 20 * time.Second

const (
	wasmPath   = "../../../dist/rostering.wasm"
	noWASIPath = "../../../dist/rostering-nowasi.wasm"
)

// compiled is where the tests keep what wazero compiled, in place of the user's.
var compiled string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if _, err := os.Stat(wasmPath); err != nil {
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

const (
	jobs        = `[{"id":1}]`
	tokenAnswer = `{"access_token":"token-%d","expires_in":3600,"token_type":"Bearer"}`
)

// service is an identity provider and a service in one. A test may replace how
// it answers between calls.
type service struct {
	*httptest.Server
	tokenRequests, jobRequests atomic.Int64
	token, jobs                atomic.Pointer[http.HandlerFunc]
}

func newService(t *testing.T) *service {
	s := &service{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect/token", func(w http.ResponseWriter, r *http.Request) {
		s.tokenRequests.Add(1)
		(*s.token.Load())(w, r)
	})
	mux.HandleFunc("/jobs", func(w http.ResponseWriter, r *http.Request) {
		s.jobRequests.Add(1)
		(*s.jobs.Load())(w, r)
	})
	s.mend()
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// mend has both answer well again. Each token is another one.
func (s *service) mend() {
	s.answerToken(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, tokenAnswer, s.tokenRequests.Load())
	})
	s.answerJobs(answer(http.StatusOK, jobs))
}

func (s *service) answerToken(h http.HandlerFunc) { s.token.Store(&h) }
func (s *service) answerJobs(h http.HandlerFunc)  { s.jobs.Store(&h) }

// revoke has the service refuse a token.
func (s *service) revoke(token string) {
	s.answerJobs(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer(http.StatusOK, jobs)(w, r)
	})
}

func (s *service) wantRequests(t *testing.T, tokens, jobs int64) {
	t.Helper()
	if got := s.tokenRequests.Load(); got != tokens {
		t.Errorf("%d token requests, want %d", got, tokens)
	}
	if got := s.jobRequests.Load(); got != jobs {
		t.Errorf("%d requests for jobs, want %d", got, jobs)
	}
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// block answers nothing until the client has gone, and tells when a request has
// arrived.
func block() (h http.HandlerFunc, arrived <-chan struct{}) {
	c := make(chan struct{}, 1)
	return func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // net/http sees that a client has gone once its body is read
		c <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-time.After(patience):
		}
	}, c
}

func (s *service) config() rostering.Config {
	return rostering.Config{
		Environment:  rostering.Stage,
		AuthURL:      s.URL,
		BaseURL:      s.URL,
		ClientID:     "client",
		ClientSecret: "s3cr3t",
		CustomerID:   "customer",
		UserID:       "user",
		Timeout:      patience,
	}
}

func wantJobs(t *testing.T, client client) {
	t.Helper()
	body, err := client.Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != jobs {
		t.Errorf("the answer is %q, want %q", body, jobs)
	}
}

// wantError gives the error of a call that must fail with a code.
func wantError(t *testing.T, err error, code string) *rostering.Error {
	t.Helper()
	e, ok := errors.AsType[*rostering.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("the error is %v, want %s", err, code)
	}
	return e
}

// afterBackOff waits out the back-off that a failed token request began, and
// must then get jobs.
func afterBackOff(t *testing.T, client client) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		_, err := client.Jobs(t.Context())
		if err == nil {
			return
		}
		if e := wantError(t, err, rostering.CodeNetworkError); e.RetryAfter <= 0 {
			t.Fatalf("%v, without a time to wait", e)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the back-off did not end")
}
