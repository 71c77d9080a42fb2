package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering/host-example/go/internal/exampletest"
)

func TestTheTokenOutlivesTheProcess(t *testing.T) {
	s := exampletest.Serve(t, nil)
	s.Env["ROSTERING_STORE"] = filepath.Join(t.TempDir(), "store")
	for _, requests := range []string{"2 requests", "1 requests", "1 requests"} {
		var stdout, stderr bytes.Buffer
		if err := handle(t.Context(), s.Getenv, &stdout, &stderr); err != nil || stdout.String() != "[1]" {
			t.Fatalf("the jobs are %q, %v", &stdout, err)
		}
		if !strings.Contains(stderr.String(), requests) || strings.Contains(stderr.String(), "access-token") {
			t.Errorf("%s were expected, and no token in the log: %s", requests, &stderr)
		}
	}
}

func TestWhatIsMissing(t *testing.T) {
	for _, name := range []string{"ROSTERING_STORE", "ROSTERING_CLIENT_ID"} {
		s := exampletest.Serve(t, nil)
		delete(s.Env, name)
		if err := handle(t.Context(), s.Getenv, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
