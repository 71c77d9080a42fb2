package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// secret is what a client's secret or the beginning of a token looks like.
var secret = regexp.MustCompile(`[A-Z2-7]{26}|eyJ[A-Za-z0-9]{10}`)

// Every step passes, no secret is shown, and README.md shows parts of the output.
func TestDemo(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	if err := run(ctx, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if found := secret.FindString(out.String()); found != "" {
		t.Errorf("a secret is in the output: %q", found)
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "```text\n")
	shown, _, _ = strings.Cut(shown, "```")
	for _, want := range append(strings.Split(shown, "…\n"), "\nAll 5 steps passed.\n") {
		if want == "" || !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}
