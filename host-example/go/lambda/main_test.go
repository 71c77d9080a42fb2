package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience bounds every wait.
const patience = 20 * time.Second

// TestMain runs the function itself if a test has started this program for that.
func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// services are a token endpoint and a jobs service.
type services struct {
	*httptest.Server
	folder       string // which the instances share
	tokens, jobs atomic.Int64
	down         atomic.Bool
}

func serve(t *testing.T) *services {
	s := &services{folder: t.TempDir()}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/connect/token":
			s.tokens.Add(1)
			_, _ = io.WriteString(w, `{"access_token":"a-token","token_type":"Bearer","expires_in":3600}`)
		case s.down.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			s.jobs.Add(1)
			_, _ = io.WriteString(w, `{"jobs":[{"id":1}]}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// instance is an instance of the function with its own Runtime API, from which it gets events and to
// which it sends results.
type instance struct {
	events, results chan string
	stop            func() // kills it, as Lambda does
}

func start(t *testing.T, s *services) *instance {
	t.Helper()
	i := &instance{events: make(chan string), results: make(chan string, 1)}
	api := httptest.NewServer(i.runtimeAPI())
	function := exec.Command(os.Args[0])
	function.Env = append(os.Environ(), "AWS_LAMBDA_RUNTIME_API="+strings.TrimPrefix(api.URL, "http://"),
		"ROSTERING_ENVIRONMENT=stage", "ROSTERING_AUTH_URL="+s.URL, "ROSTERING_BASE_URL="+s.URL, "ROSTERING_CLIENT_ID=client",
		"ROSTERING_CLIENT_SECRET=the-secret", "ROSTERING_CUSTOMER_ID=customer", "ROSTERING_USER_ID=user", "ROSTERING_STORE="+s.folder)
	if err := function.Start(); err != nil {
		t.Fatal(err)
	}
	i.stop = sync.OnceFunc(func() {
		_ = function.Process.Kill()
		_ = function.Wait()
		api.Close()
	})
	t.Cleanup(i.stop)
	return i
}

func (i *instance) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case event := <-i.events:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(patience).UnixMilli(), 10))
			_, _ = io.WriteString(w, event)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/1/{kind}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		if err != nil {
			body = []byte(err.Error())
		}
		i.results <- r.PathValue("kind") + " " + string(body)
	})
	return mux
}

// invoke returns the function's response or error.
func (i *instance) invoke(t *testing.T) (kind, body string) {
	t.Helper()
	limit := time.After(patience)
	select {
	case i.events <- "{}":
	case <-limit:
		t.Fatal("the function does not start")
	}
	select {
	case result := <-i.results:
		kind, body, _ = strings.Cut(result, " ")
	case <-limit:
		t.Fatal("the function does not respond")
	}
	return kind, body
}

func wantJobs(t *testing.T, i *instance) {
	t.Helper()
	if kind, body := i.invoke(t); kind != "response" || !strings.Contains(body, `"jobs":[{`) {
		t.Errorf("the result is %s %s", kind, body)
	}
}

func TestInstancesShareTheToken(t *testing.T) {
	s := serve(t)
	for range 2 {
		i := start(t, s)
		for range 3 {
			wantJobs(t, i)
		}
		i.stop()
	}
	if s.tokens.Load() != 1 || s.jobs.Load() != 6 {
		t.Errorf("%d token requests for %d calls", s.tokens.Load(), s.jobs.Load())
	}
}

func TestAnErrorDoesNotEndTheInstance(t *testing.T) {
	s := serve(t)
	i := start(t, s)
	s.down.Store(true)
	kind, object := i.invoke(t)
	var e struct{ ErrorMessage, ErrorType string }
	if err := json.Unmarshal([]byte(object), &e); err != nil || kind != "error" ||
		!strings.HasPrefix(e.ErrorMessage, "service_error: ") || e.ErrorType != "Error" {
		t.Errorf("the result is %s %s", kind, object)
	}
	s.down.Store(false)
	wantJobs(t, i)
}
