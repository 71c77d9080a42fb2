package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 20 * time.Second

var httpClient = &http.Client{
	Timeout:   patience,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// process is run in the background.
type process struct {
	stdin  *io.PipeWriter
	stdout *bufio.Reader
	stderr syncBuffer
	cancel context.CancelFunc
	done   chan error
}

func begin(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	p := &process{stdin: inWriter, stdout: bufio.NewReader(outReader), cancel: cancel, done: make(chan error, 1)}
	go func() {
		err := run(ctx, args, inReader, outWriter, &p.stderr)
		_ = outWriter.CloseWithError(io.EOF)
		p.done <- err
	}()
	t.Cleanup(func() {
		cancel()
		_ = inWriter.Close()
		_ = outReader.Close()
	})
	return p
}

func (p *process) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.done:
		if err != nil {
			t.Errorf("run: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("run did not end")
	}
}

// facts reads the line of JSON.
func (p *process) facts(t *testing.T) facts {
	t.Helper()
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := json.Unmarshal(line, &f); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return f
}

func TestJSON(t *testing.T) {
	p := begin(t, "-json", "-lifetime", "90s")
	f := p.facts(t)
	for scope, env := range map[string]map[string]string{
		"automatic-rostering-stage": f.Env,
		"automatic-rostering-prod":  f.Production,
	} {
		token := fetchToken(t, env, scope)
		if status := fetchJobs(t, env, token); status != http.StatusOK {
			t.Errorf("jobs with a token of %s: status %d", scope, status)
		}
		log := p.stderr.String()
		if strings.Contains(log, token) || strings.Contains(log, env["ROSTERING_CLIENT_SECRET"]) {
			t.Error("the log has a secret")
		}
	}
	if got := strings.Count(p.stderr.String(), "path=/jobs status=200"); got != 2 {
		t.Errorf("%d job requests logged", got)
	}
	for _, e := range f.Controls {
		tryControl(t, e)
	}
	p.cancel()
	p.wait(t)
}

func TestText(t *testing.T) {
	p := begin(t)
	var b strings.Builder
	for !strings.Contains(b.String(), "Ctrl-C") {
		line, err := p.stdout.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(line)
	}
	printed := b.String()
	for _, name := range names {
		if !strings.Contains(printed, "\nexport "+name+"='") {
			t.Errorf("no export of %s", name)
		}
	}
	for _, want := range []string{"\nexport ROSTERING_ENVIRONMENT='stage'\n", "\n# export ROSTERING_ENVIRONMENT='production'\n", "\ncurl -X POST http://127.0.0.1:"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is missing in:\n%s", want, printed)
		}
	}
	p.cancel()
	p.wait(t)
}

func TestUntilStdinCloses(t *testing.T) {
	p := begin(t, "-json", "-until-stdin-closes")
	f := p.facts(t)
	if _, err := p.stdin.Write([]byte("ignored\n")); err != nil {
		t.Fatal(err)
	}
	fetchToken(t, f.Env, "automatic-rostering-stage")
	_ = p.stdin.Close()
	p.wait(t)
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{{"-bogus"}, {"no-such-command"}, {"-json", "true"}, {"-lifetime", "0"}, {"-lifetime", "1ms"}, {"-lifetime", "soon"}} {
		if err := run(t.Context(), args, nil, io.Discard, io.Discard); status(err) != 1 {
			t.Errorf("%q: the error is %v", args, err)
		}
	}
	var help bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, nil, io.Discard, &help); err != nil || !strings.Contains(help.String(), "-lifetime") {
		t.Errorf("help %q, error %v", help.String(), err)
	}
}

func TestCommandHasTheVariables(t *testing.T) {
	var out bytes.Buffer
	show := `echo "$ROSTERING_ENVIRONMENT $ROSTERING_CLIENT_ID $ROSTERING_AUTH_URL"; cat; exit $CODE`
	for _, code := range []int{0, 3} {
		out.Reset()
		t.Setenv("CODE", strconv.Itoa(code))
		err := run(t.Context(), []string{"sh", "-c", show}, strings.NewReader("input"), &out, io.Discard)
		if got := status(err); got != code {
			t.Errorf("exit %d gives %d, the error %v", code, got, err)
		}
		if got := out.String(); !strings.HasPrefix(got, "stage sandbox-stage http://127.0.0.1:") || !strings.HasSuffix(got, "\ninput") {
			t.Errorf("the output is %q", got)
		}
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := trigger{"started", cancel}
	err := run(ctx, []string{"sh", "-c", "echo started; exec sleep 60"}, strings.NewReader(""), started, io.Discard)
	if err == nil {
		t.Error("it was not interrupted")
	}
}

// trigger runs a function when the output has a string.
type trigger struct {
	found string
	run   func()
}

func (w trigger) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.found) {
		w.run()
	}
	return len(b), nil
}

func TestQuote(t *testing.T) {
	if got := quote(`a'b`); got != `'a'\''b'` {
		t.Errorf("quote: %s", got)
	}
}

func fetchToken(t *testing.T, env map[string]string, scope string) string {
	t.Helper()
	response, err := httpClient.PostForm(env["ROSTERING_AUTH_URL"]+"/connect/token", url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {env["ROSTERING_CLIENT_ID"]},
		"client_secret": {env["ROSTERING_CLIENT_SECRET"]},
		"scope":         {scope},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var body struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil || body.AccessToken == "" {
		t.Fatalf("status %d, no token: %v", response.StatusCode, err)
	}
	return body.AccessToken
}

func fetchJobs(t *testing.T, env map[string]string, token string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, env["ROSTERING_BASE_URL"]+"/jobs", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("CUSTOMER_ID", env["ROSTERING_CUSTOMER_ID"])
	r.Header.Set("USER_ID", env["ROSTERING_USER_ID"])
	response, err := httpClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// tryControl checks that a printed example works.
func tryControl(t *testing.T, e example) {
	t.Helper()
	r, err := http.NewRequest(e.Method, e.URL, strings.NewReader(e.Body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := httpClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		t.Errorf("%s: status %d", e.Effect, response.StatusCode)
	}
}

// syncBuffer can be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
