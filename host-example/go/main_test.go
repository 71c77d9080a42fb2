package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestRun(t *testing.T) {
	s := sandbox.New(t)
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), s.Getenv, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout.String(), `"jobs":[`) || !strings.Contains(stderr.String(), "HTTP 200 to POST") {
		t.Errorf("standard output is %q, standard error %q", &stdout, &stderr)
	}
}

func TestWhatIsMissing(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"set ROSTERING_AUTH_URL, ROSTERING_BASE_URL, ROSTERING_ENVIRONMENT, ROSTERING_CLIENT_SECRET, " +
			"ROSTERING_CUSTOMER_ID, ROSTERING_USER_ID": {"ROSTERING_CLIENT_ID": "client"},
		"none.wasm": sandbox.New(t).Env,
	} {
		env["ROSTERING_WASM"] = "none.wasm"
		err := run(t.Context(), func(name string) string { return env[name] }, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := sandbox.New(t)
	s.Fault(sandbox.Fault{Server: "auth", Hold: true})
	var control sync.WaitGroup
	control.Go(func() {
		s.Wait(1, 0)
		cancel()
		s.ClearFaults() // the client's Close waits for the token
	})
	err := run(ctx, s.Getenv, io.Discard, io.Discard)
	control.Wait()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	var text bytes.Buffer
	explain(&text, err)
	if text.String() != "interrupted\n" {
		t.Errorf("it is explained as %q", &text)
	}
}

func TestExplain(t *testing.T) {
	s := sandbox.New(t)
	s.Fault(sandbox.Fault{Server: "auth", Status: 429, Body: `{"error":"slow_down","error_description":"too many"}`})
	var text bytes.Buffer
	explain(&text, run(t.Context(), s.Getenv, io.Discard, io.Discard))
	explain(&text, fmt.Errorf("wrapped: %w", &rostering.Error{Code: "c", Message: "m", Key: "k", Body: "b", BodyTruncated: true}))
	for _, want := range []string{
		"token_endpoint_unavailable: ", "status            429", "slow_down", "too many",
		"worth a retry     yes", "retry after       1s",
		"wrapped: c: m\n  code              c\n  key               k\n  body              b\n                    (and more)\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in %s", want, &text)
		}
	}
}
