package service_test

import (
	"encoding/json"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/service"
)

const limit = service.MaxBody

// body returns the body and body_truncated that a host sees for an error's body.
func body(t *testing.T, text string) (got string, truncated bool) {
	t.Helper()
	var fields struct {
		Body          *string
		BodyTruncated bool `json:"body_truncated"`
	}
	object := service.NewError(response(500, text), []string{"s3cret42", "tok.en42"}).AppendJSON(nil)
	if err := json.Unmarshal(object, &fields); err != nil || fields.Body == nil {
		t.Fatalf("%.200s: %v", object, err)
	}
	return *fields.Body, fields.BodyTruncated
}

func TestBodyOfAnError(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		truncated        bool
	}{
		{"empty", "", "", false},
		{"any text", "{\"x\":\"\\u0000\"}\n", "{\"x\":\"\\u0000\"}\n", false},
		{"NUL", "a\x00b", "a\x00b", false},
		{"invalid UTF-8 is replaced", "a\xff\xfeb\xc3", "a\ufffd\ufffdb\ufffd", false},
		{"4 KiB", strings.Repeat("x", limit), strings.Repeat("x", limit), false},
		{"a byte more", strings.Repeat("x", limit+1), strings.Repeat("x", limit), true},
		{"a character on the cut", strings.Repeat("x", limit-1) + "é", strings.Repeat("x", limit-1), true},
		{"a megabyte", strings.Repeat("x", 1<<20), strings.Repeat("x", limit), true},
		{"the secret", "x s3cret42 y", "x [redacted] y", false},
		{"the token", "Bearer tok.en42", "Bearer [redacted]", false},
		{"the token, escaped", `tok%2een42 tok\u002Een42`, "[redacted] [redacted]", false},
		{"the secret across the cut", strings.Repeat("x", limit-3) + "s3cret42", strings.Repeat("x", limit-3) + "[re", true},
		{"the secret at the cut", strings.Repeat("x", limit) + "s3cret42", strings.Repeat("x", limit), true},
		{"nothing but secrets", strings.Repeat("s3cret42", limit/8), strings.Repeat("[redacted]", limit/10+1)[:limit], true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, truncated := body(t, tt.text)
			if got != tt.want || truncated != tt.truncated {
				t.Errorf("got %d bytes, …%.40q, %v", len(got), got[max(0, len(got)-40):], truncated)
			}
		})
	}
}

// A long secret makes a long body short: then the end of what was read is visible.
func TestASecretCutByTheEndOfTheReadBody(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 2<<10) // 32 KiB
	for cut := 1; cut <= 8; cut++ {
		text := strings.Repeat("x", cut) + strings.Repeat(long, 9)
		object := service.NewError(response(500, text), []string{long}).AppendJSON(nil)
		if s := string(object); strings.Contains(s, "0123456789") || !strings.Contains(s, `"body_truncated":true`) {
			t.Fatalf("after %d bytes: %d bytes, …%s", cut, len(s), s[len(s)-100:])
		}
	}
}
