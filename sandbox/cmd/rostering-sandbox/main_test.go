package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const patience = 20 * time.Second

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

func TestJSON(t *testing.T) {
	p := begin(t, "-json", "-until-stdin-closes", "-lifetime", "90s")
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := json.Unmarshal(line, &f); err != nil || f.Env["ROSTERING_CLIENT_ID"] != "sandbox-stage" || f.Production["ROSTERING_CLIENT_ID"] != "sandbox-production" {
		t.Errorf("it prints %s, %v", line, err)
	}
	_, _ = p.stdin.Write([]byte("ignored\n"))
	_ = p.stdin.Close()
	p.wait(t)
}

var curl = regexp.MustCompile(`(?m)^curl (?:-X (\S+) )?(\S+)(?: -d '(.*)')?$`)

// The variables are set, and the examples of the control API work.
func TestText(t *testing.T) {
	p := begin(t)
	text := ""
	for !strings.Contains(text, "Ctrl-C") {
		line, err := p.stdout.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		text += line
	}
	jobs := regexp.MustCompile(`export ROSTERING_BASE_URL='(.*)'`).FindStringSubmatch(text)
	if jobs == nil || strings.Count(text, "\nexport ROSTERING_") != 8 || strings.Count(text, "# export ROSTERING_") != 3 {
		t.Fatalf("the variables are missing in:\n%s", text)
	}
	examples := curl.FindAllStringSubmatch(text, -1)
	if len(examples) != 13 {
		t.Errorf("%d examples in:\n%s", len(examples), text)
	}
	client := &http.Client{Timeout: patience}
	for _, e := range examples {
		method := e[1]
		if method == "" {
			method = map[bool]string{true: "POST", false: "GET"}[e[3] != ""]
		}
		if strings.HasSuffix(e[2], "/wait") {
			_, _ = client.Get(jobs[1])
		}
		r, err := http.NewRequest(method, e[2], strings.NewReader(e[3]))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode >= 300 {
			t.Errorf("%s: status %d", e[0], response.StatusCode)
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
	if err := run(t.Context(), []string{"-h"}, nil, io.Discard, &help); err != nil || !strings.Contains(help.String(), "[COMMAND [ARGUMENT ...]]") || !strings.Contains(help.String(), "-tls folder") {
		t.Errorf("help %q, error %v", help.String(), err)
	}
}

func TestCommandHasTheVariables(t *testing.T) {
	show := `echo "$ROSTERING_ENVIRONMENT $ROSTERING_CLIENT_ID $ROSTERING_SANDBOX_URL"; cat; exit $CODE`
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
