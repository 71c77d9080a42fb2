package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestTheTokenOutlivesTheProcess(t *testing.T) {
	s := sandbox.New(t)
	s.Env["ROSTERING_STORE"] = filepath.Join(t.TempDir(), "store")
	for _, requests := range []string{"2 requests", "1 requests", "1 requests"} {
		var stdout, stderr bytes.Buffer
		if err := handle(t.Context(), s.Getenv, &stdout, &stderr); err != nil || !strings.Contains(stdout.String(), `"jobs":[`) {
			t.Fatalf("the jobs are %q, %v", &stdout, err)
		}
		if !strings.Contains(stderr.String(), requests) {
			t.Errorf("the log says %s, want %s", &stderr, requests)
		}
	}
}

func TestWhatIsMissing(t *testing.T) {
	for _, name := range []string{"ROSTERING_STORE", "ROSTERING_CLIENT_ID"} {
		s := sandbox.New(t)
		delete(s.Env, name)
		if err := handle(t.Context(), s.Getenv, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
