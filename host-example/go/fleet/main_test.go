package main

import (
	"bytes"
	"strings"
	"testing"

	"automatic-rostering/host-example/go/internal/exampletest"
)

func TestRun(t *testing.T) {
	s := exampletest.Serve(t, nil)
	var stdout bytes.Buffer
	if err := run(t.Context(), s.Getenv, strings.NewReader("0\n2\n"), &stdout); err != nil {
		t.Fatal(err)
	}
	// c5b0f233 is the beginning of the SHA-256 of access-token-1.
	want := `{"calls":0}` + "\n" + `{"calls":2,"token":"c5b0f233","expires_at":`
	if !strings.HasPrefix(stdout.String(), want) {
		t.Errorf("it says %s, want %s", &stdout, want)
	}
}

func TestAnInvalidAddressDoesNotShow(t *testing.T) {
	s := exampletest.Serve(t, nil)
	s.Env["ROSTERING_REDIS"] = "redis://fleet:pass%word@127.0.0.1"
	err := run(t.Context(), s.Getenv, strings.NewReader(""), nil)
	if err == nil || strings.Contains(err.Error(), "pass") {
		t.Errorf("the error is %v", err)
	}
}
