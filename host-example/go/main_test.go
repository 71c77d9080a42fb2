package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"automatic-rostering/host-example/go/environment"
	"automatic-rostering/host-example/go/rostering"
)

// env is an environment.
type env map[string]string

func (e env) get(name string) string { return e[name] }

// serve starts a service and gives the environment for it. The plugin must have
// been built.
func serve(t *testing.T, token http.HandlerFunc) env {
	t.Helper()
	if _, err := environment.Wasm(env{}.get); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect/token", token)
	mux.HandleFunc("GET /jobs", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[1]") })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // not the user's
	return env{
		"ROSTERING_AUTH_URL":      s.URL,
		"ROSTERING_BASE_URL":      s.URL,
		"ROSTERING_ENVIRONMENT":   "stage",
		"ROSTERING_CLIENT_ID":     "client",
		"ROSTERING_CLIENT_SECRET": "s3cr3t",
		"ROSTERING_CUSTOMER_ID":   "customer",
		"ROSTERING_USER_ID":       "user",
	}
}

func goodToken(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, `{"access_token":"abc","expires_in":3600,"token_type":"Bearer"}`)
}

func TestRunPrintsTheAnswer(t *testing.T) {
	prepareForTest(t)
	e := serve(t, goodToken)
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), e.get, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if stdout.String() != "[1]" {
		t.Errorf("standard output is %q", &stdout)
	}
	if got := strings.Count(stderr.String(), "HTTP 200"); got != 2 {
		t.Errorf("standard error is %q", &stderr)
	}
}

func TestRunNamesWhatIsMissing(t *testing.T) {
	err := run(t.Context(), env{"ROSTERING_CLIENT_ID": "client"}.get, io.Discard, io.Discard)
	want := "set ROSTERING_AUTH_URL, ROSTERING_BASE_URL, ROSTERING_ENVIRONMENT, " +
		"ROSTERING_CLIENT_SECRET, ROSTERING_CUSTOMER_ID, ROSTERING_USER_ID"
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func TestWasmOfTheEnvironment(t *testing.T) {
	e := serve(t, goodToken)
	e["ROSTERING_WASM"] = filepath.Join(t.TempDir(), "none.wasm")
	err := run(t.Context(), e.get, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), e["ROSTERING_WASM"]) {
		t.Errorf("the error is %v", err)
	}
}

func TestNoWasmAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := environment.Wasm(env{}.get); err == nil || !strings.Contains(err.Error(), "run make build") {
		t.Errorf("the error is %v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // net/http sees that a client has gone once its body is read
		cancel()
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
			t.Error("the request did not end")
		}
	})
	err := run(ctx, e.get, io.Discard, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	var text bytes.Buffer
	explain(&text, err)
	if text.String() != "interrupted\n" {
		t.Errorf("it is explained as %q", &text)
	}
}

func TestErrorIsExplained(t *testing.T) {
	e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":"slow_down","error_description":"too many"}`)
	})
	err := run(t.Context(), e.get, io.Discard, io.Discard)
	var text bytes.Buffer
	explain(&text, err)
	for _, want := range []string{
		"rostering: token_endpoint_unavailable: ", "status            429", "slow_down", "too many",
		"worth a retry     yes", "retry after       1s",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in %s", want, &text)
		}
	}
}

func TestExplanationHasWhatIsKnown(t *testing.T) {
	var text bytes.Buffer
	e := &rostering.Error{Code: "c", Message: "m", Key: "k", Body: "b", BodyTruncated: true}
	explain(&text, fmt.Errorf("wrapped: %w", e))
	want := "wrapped: rostering: c: m\n" +
		"  code              c\n" +
		"  key               k\n" +
		"  body              b\n" +
		"                    (and more)\n"
	if text.String() != want {
		t.Errorf("it is %q, want %q", &text, want)
	}
}

func TestSecretIsNotRedirected(t *testing.T) {
	prepareForTest(t)
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	err := run(t.Context(), e.get, io.Discard, io.Discard)
	if got, ok := errors.AsType[*rostering.Error](err); !ok || got.Status != http.StatusTemporaryRedirect {
		t.Errorf("the error is %v", err)
	}
	if elsewhere.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

// prepareForTest is prepare, taken back at the end.
func prepareForTest(t *testing.T) {
	t.Helper()
	before := *http.DefaultClient
	t.Cleanup(func() {
		*http.DefaultClient = before
		extism.SetLogLevel(extism.LogLevelOff)
	})
	prepare()
}
