package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/internal/sandbox"
)

func TestRun(t *testing.T) {
	s := sandbox.New(t)
	var stdout bytes.Buffer
	if err := run(t.Context(), s.Getenv, strings.NewReader("0\n2\n"), &stdout); err != nil {
		t.Fatal(err)
	}
	token := strings.TrimPrefix(s.Requests("jobs")[1].Headers["authorization"], "Bearer ")
	want := fmt.Sprintf("{\"calls\":0}\n{\"calls\":2,\"token\":\"%.4x\",\"expires_at\":", sha256.Sum256([]byte(token)))
	if !strings.HasPrefix(stdout.String(), want) {
		t.Errorf("it says %s, want %s", &stdout, want)
	}
}

func TestAnInvalidAddressDoesNotShow(t *testing.T) {
	s := sandbox.New(t)
	s.Env["ROSTERING_REDIS"] = "redis://fleet:pass%word@127.0.0.1"
	err := run(t.Context(), s.Getenv, strings.NewReader(""), nil)
	if err == nil || strings.Contains(err.Error(), "pass") {
		t.Errorf("the error is %v", err)
	}
}
