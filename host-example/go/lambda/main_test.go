package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMain runs the function itself if the test has started this program for that.
func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// An environment keeps its token from call to call. A call that fails does not end it.
func TestEnvironmentKeepsItsToken(t *testing.T) {
	tokens, down := 0, false // no two requests come at once
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/connect/token":
			tokens++
			_, _ = io.WriteString(w, `{"access_token":"a-token","token_type":"Bearer","expires_in":3600}`)
		case down:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			_, _ = io.WriteString(w, `{"jobs":[]}`)
		}
	}))
	defer service.Close()
	invoke := start(t, "ROSTERING_ENVIRONMENT=stage", "ROSTERING_AUTH_URL="+service.URL, "ROSTERING_BASE_URL="+service.URL,
		"ROSTERING_CLIENT_ID=client", "ROSTERING_CLIENT_SECRET=the-secret", "ROSTERING_CUSTOMER_ID=customer",
		"ROSTERING_USER_ID=user")
	for _, want := range []string{`/response {"jobs":[]}`, `/error {"errorMessage":"service_error: `, `/response {"jobs":[]}`} {
		down = strings.HasPrefix(want, "/error")
		if got := invoke(); !strings.HasPrefix(got, want) {
			t.Errorf("the result is %s, not %s", got, want)
		}
	}
	if tokens != 1 {
		t.Errorf("%d tokens were requested", tokens)
	}
}

// start starts an environment with its own Runtime API, and returns what invokes it: that returns /response or /error and the body.
func start(t *testing.T, variables ...string) func() string {
	t.Helper()
	events, results := make(chan string), make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case event := <-events:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(time.Minute).UnixMilli()))
			_, _ = io.WriteString(w, event)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/1/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		results <- fmt.Sprint(strings.TrimPrefix(r.URL.Path, "/2018-06-01/runtime/invocation/1"), " ", string(body), err)
	})
	api := httptest.NewServer(mux)
	function := exec.Command(os.Args[0])
	function.Env = append(append(os.Environ(), variables...), "AWS_LAMBDA_RUNTIME_API="+strings.TrimPrefix(api.URL, "http://"))
	if err := function.Start(); err != nil {
		t.Fatal(err)
	}
	patience := time.AfterFunc(time.Minute, func() { _ = function.Process.Kill(); close(results) })
	t.Cleanup(func() {
		patience.Stop()
		_ = function.Process.Kill() // as Lambda does
		_ = function.Wait()
		api.Close()
	})
	return func() string {
		select {
		case events <- "{}":
			return <-results
		case result := <-results:
			return result
		}
	}
}
