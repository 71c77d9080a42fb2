package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
)

const wasm = "../../" + wasmPath

// secret is what a client's secret or the beginning of a token looks like.
var secret = regexp.MustCompile(`[A-Z2-7]{26}|eyJ[A-Za-z0-9]{10}`)

func TestDemo(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	if err := run(ctx, &out, wasm, steps); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text := out.String()
	if found := secret.FindString(text); found != "" {
		t.Errorf("a secret is in the output: %q", found)
	}
	for _, want := range []string{"client_secret=(hidden, 26 characters)", "authorization: (hidden, ", "\nAll 7 steps passed.\n", "\n  make sandbox"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// A step with another result, or other requests, fails.
func TestStepThatGoesWrong(t *testing.T) {
	jobs := func(d *demo, ctx context.Context) error { return d.jobs(ctx) }
	ended := func(d *demo, _ context.Context) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return d.jobs(ctx)
	}
	for want, wrong := range map[string]step{
		`it sent "/connect/token 200, /jobs 200"; want "/jobs 200"`: {"", jobs, jobs200},
		context.Canceled.Error():                                    {"", ended, ""},
	} {
		var out bytes.Buffer
		err := run(t.Context(), &out, wasm, []step{wrong})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(out.String(), "passed") {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}
