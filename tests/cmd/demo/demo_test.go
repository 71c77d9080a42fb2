package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
)

const (
	wasmPath = "../../../dist/rostering-nowasi.wasm"
	// patience bounds a whole demo, most of which is waiting for tokens to expire.
	patience = time.Minute
)

// built fails a test that has no plugin to show.
func built(t *testing.T) options {
	t.Helper()
	if _, err := os.Stat(wasmPath); err != nil {
		t.Fatalf("%v: run make build", err)
	}
	return options{wasm: wasmPath, secret: "the-secret-of-the-sandbox"}
}

// longText is what a whole token, or its signature alone, looks like.
var longText = regexp.MustCompile(`[A-Za-z0-9_-]{40,}`)

func TestDemo(t *testing.T) {
	o := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out bytes.Buffer
	if err := run(ctx, &out, o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text := out.String()
	if got := strings.Count(text, "✓ token requests: "); got != len(steps) {
		t.Errorf("%d steps went well, want %d", got, len(steps))
	}
	wantInOrder(t, text,
		"1  The plugin alone",
		"→ POST http://127.0.0.1:", "client_secret=(hidden, 25 characters)", `"access_token":"eyJhbGci…(`,
		"→ GET http://127.0.0.1:", "Authorization: Bearer eyJhbGci…(", "✓ token requests: 1, job requests: 1",
		"2  The library", "→ POST /connect/token ← 200", "→ GET /jobs ← 200", "✓ token requests: 1, job requests: 1",
		"3  The second call", "→ GET /jobs ← 200", "✓ token requests: 0, job requests: 1",
		"4  A token that expires", "waiting", "→ POST /connect/token ← 200", "✓ token requests: 2, job requests: 1",
		"5  A revoked token", "→ GET /jobs ← 401", "→ GET /jobs ← 200", "✓ token requests: 1, job requests: 2",
		"6  The identity provider", "← 503", "RetryAfter: 1s", "← 503", "RetryAfter: 2s", "at no request; RetryAfter: ",
		"→ POST /connect/token ← 200", "✓ token requests: 3, job requests: 2",
		"7  A failure", `Code:                  "token_endpoint_rejected"`, `"invalid_client"`, "✓ token requests: 1, job requests: 0",
		"All 7 steps went as they must",
	)
	if strings.Contains(text, o.secret) || longText.MatchString(text) || strings.Contains(text, "\x1b") {
		t.Errorf("a secret, a token or a colour is in the output:\n%s", text)
	}
}

func wantInOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("%q is missing, or not where it belongs, in\n%s", part, text)
		}
		rest = after
	}
}

// trigger runs a function at the first output that holds a text.
type trigger struct {
	text string
	run  func()
}

func (w trigger) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.text) {
		w.run()
	}
	return len(b), nil
}

func TestDemoEndsWithItsContext(t *testing.T) {
	o := built(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := http.DefaultClient.Transport
	err := run(ctx, trigger{"waiting", cancel}, o)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if http.DefaultClient.Transport != before {
		t.Error("it still listens in on the HTTP client")
	}
}

func TestDemoWithoutPlugin(t *testing.T) {
	err := run(t.Context(), &bytes.Buffer{}, options{wasm: filepath.Join(t.TempDir(), "none.wasm")})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestStepThatGoesWrong(t *testing.T) {
	served, err := sandbox.Start(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = served.Close() }()
	for name, s := range map[string]step{
		"a request too few": {show: func(*demo, context.Context) error { return nil }, sent: sandbox.Counts{TokenRequests: 1}},
		"an error":          {show: func(*demo, context.Context) error { return errors.New("no") }},
	} {
		var out bytes.Buffer
		d := &demo{printer: &printer{w: &out, color: true}, sandbox: served}
		if err := d.showAll(t.Context(), []step{s}); err == nil || !strings.Contains(err.Error(), "step 1: ") {
			t.Errorf("%s: the error is %v", name, err)
		}
		if !strings.Contains(out.String(), "\x1b[31m✗ ") || strings.Contains(out.String(), "✓") {
			t.Errorf("%s: it shows %q", name, &out)
		}
	}
}

func TestNoColorButOnATerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if hasColor(file, func(string) string { return "" }) {
		t.Error("colour in a file")
	}
}
