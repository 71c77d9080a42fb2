package main

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
)

// writer calls itself.
type writer func(string)

func (w writer) Write(b []byte) (int, error) {
	w(string(b))
	return len(b), nil
}

func TestText(t *testing.T) {
	folder, text := t.TempDir(), ""
	ctx, cancel := context.WithCancel(t.Context())
	shown := writer(func(s string) {
		text += s
		cancel()
	})
	if err := run(ctx, []string{"-tls", folder}, nil, shown, io.Discard); err != nil {
		t.Error(err)
	}
	if strings.Count(text, "\nexport ROSTERING_") != 8 || strings.Count(text, "# export ROSTERING_") != 3 ||
		!strings.Contains(text, "\nexport SSL_CERT_FILE='"+folder+"/ca.pem'\n") {
		t.Errorf("the variables are missing in:\n%s", text)
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{{"-bogus"}, {"no-such-command"}, {"-lifetime", "0"}, {"-lifetime", "1ms"}, {"-lifetime", "soon"}} {
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
	started := writer(func(string) { cancel() })
	if err := run(ctx, []string{"sh", "-c", "echo started; exec sleep 60"}, strings.NewReader(""), started, io.Discard); err == nil {
		t.Error("it was not interrupted")
	}
}
