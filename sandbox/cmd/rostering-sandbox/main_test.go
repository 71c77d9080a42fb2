package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

const patience = 20 * time.Second

var httpClient = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// process is run in the background. It can be ended by its context or its standard input.
type process struct {
	stdin  *io.PipeWriter
	stdout *bufio.Reader
	cancel context.CancelFunc
	done   chan error
}

func begin(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	p := &process{stdin: inWriter, stdout: bufio.NewReader(outReader), cancel: cancel, done: make(chan error, 1)}
	go func() { p.done <- run(ctx, args, inReader, outWriter, io.Discard) }()
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

// The printed examples of the control API work, and standard input ends it.
func TestJSON(t *testing.T) {
	p := begin(t, "-json", "-until-stdin-closes", "-lifetime", "90s")
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := json.Unmarshal(line, &f); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if f.Env["ROSTERING_CLIENT_ID"] != "sandbox-stage" || f.Production["ROSTERING_CLIENT_ID"] != "sandbox-production" {
		t.Errorf("it prints %s", line)
	}
	requests := f.Controls
	requests = append(requests, example{Method: "POST", URL: f.BaseURL}) // ends the wait for a job request
	for i := range requests {
		e := requests[len(requests)-1-i]
		r, err := http.NewRequest(e.Method, e.URL, strings.NewReader(e.Body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := httpClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode >= http.StatusBadRequest && e.Effect != "" {
			t.Errorf("%s: status %d", e.Effect, response.StatusCode)
		}
	}
	_, _ = p.stdin.Write([]byte("ignored\n"))
	_ = p.stdin.Close()
	p.wait(t)
}

func TestText(t *testing.T) {
	p := begin(t)
	printed := ""
	for !strings.Contains(printed, "Ctrl-C") {
		line, err := p.stdout.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		printed += line
	}
	for _, want := range append(names, "ENVIRONMENT='stage'\n", "\n# export ROSTERING_ENVIRONMENT='production'\n", "\ncurl -X POST http://127.0.0.1:") {
		if strings.HasPrefix(want, "ROSTERING_") {
			want = "\nexport " + want + "='"
		}
		if !strings.Contains(printed, want) {
			t.Errorf("%q is missing in:\n%s", want, printed)
		}
	}
	p.cancel()
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
	show := `echo "$ROSTERING_ENVIRONMENT $ROSTERING_CLIENT_ID $ROSTERING_AUTH_URL"; cat; exit $CODE`
	for _, code := range []int{0, 3} {
		var out bytes.Buffer
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
	reader, writer := io.Pipe()
	go func() {
		_, _ = reader.Read(make([]byte, 100))
		cancel()
	}()
	if err := run(ctx, []string{"sh", "-c", "echo started; exec sleep 60"}, strings.NewReader(""), writer, io.Discard); err == nil {
		t.Error("it was not interrupted")
	}
}

func TestQuote(t *testing.T) {
	if got := quote(`a'b`); got != `'a'\''b'` {
		t.Errorf("quote: %s", got)
	}
}
