package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"
)

// begin runs it in the background. The test ends it by what it returns.
func begin(t *testing.T, args ...string) (stdin *io.PipeWriter, stdout *bufio.Reader, cancel func(), ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	in, stdin := io.Pipe()
	out, writer := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, args, in, writer, io.Discard) }()
	t.Cleanup(func() {
		cancel()
		_ = stdin.Close()
		_ = out.Close()
	})
	return stdin, bufio.NewReader(out), cancel, done
}

func mustEnd(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("run: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("run did not end")
	}
}

func TestJSON(t *testing.T) {
	stdin, stdout, _, ended := begin(t, "-json", "-until-stdin-closes", "-lifetime", "90s")
	line, err := stdout.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		URL        string            `json:"control_url"`
		Env        map[string]string `json:"env"`
		Production map[string]string `json:"env_production"`
	}
	if err := json.Unmarshal(line, &got); err != nil || got.Env["ROSTERING_CLIENT_ID"] != "sandbox-stage" ||
		got.Production["ROSTERING_CLIENT_ID"] != "sandbox-production" || got.Env["ROSTERING_SANDBOX_URL"] != got.URL {
		t.Errorf("it prints %s, %v", line, err)
	}
	_, _ = stdin.Write([]byte("ignored\n"))
	_ = stdin.Close()
	mustEnd(t, ended)
}

func TestText(t *testing.T) {
	folder := t.TempDir()
	_, stdout, cancel, ended := begin(t, "-tls", folder)
	text := ""
	for !strings.Contains(text, "Ctrl-C") {
		line, err := stdout.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		text += line
	}
	if strings.Count(text, "\nexport ROSTERING_") != 8 || strings.Count(text, "# export ROSTERING_") != 3 ||
		!strings.Contains(text, "\nexport SSL_CERT_FILE='"+folder+"/ca.pem'\n") {
		t.Errorf("the variables are missing in:\n%s", text)
	}
	cancel()
	mustEnd(t, ended)
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{{"-bogus"}, {"no-such-command"}, {"-json", "true"}, {"-lifetime", "0"}, {"-lifetime", "1ms"}, {"-lifetime", "soon"}} {
		if err := run(t.Context(), args, nil, io.Discard, io.Discard); status(err) != 1 {
			t.Errorf("%q: the error is %v", args, err)
		}
	}
	var help bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, nil, io.Discard, &help); err != nil ||
		!strings.Contains(help.String(), "[COMMAND [ARGUMENT ...]]") || !strings.Contains(help.String(), "-tls folder") {
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
