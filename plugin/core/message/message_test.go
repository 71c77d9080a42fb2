package message_test

import (
	"testing"

	"automatic-rostering.example/rostering/plugin/core/message"
)

// The rules show the rest. A query may have a secret in it.
func TestLine(t *testing.T) {
	for url, want := range map[string]string{
		"http://localhost:8080/api/jobs": "localhost:8080/api/jobs", "https://host/jobs?u=https://other/": "host/jobs", "https://host": "host",
	} {
		r := message.Request{Method: "POST", URL: url}
		if got := r.Line(503); got != "HTTP 503 to POST "+want {
			t.Errorf("%s: %q", url, got)
		}
	}
}
