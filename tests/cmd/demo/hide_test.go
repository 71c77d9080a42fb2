package main

import (
	"slices"
	"strings"
	"testing"
)

func TestHideHeader(t *testing.T) {
	token := "eyJhbGci" + strings.Repeat("x", 92)
	for line, want := range map[string]string{
		"Host: example":                   "Host: example",
		"Authorization: Bearer " + token:  "Authorization: Bearer eyJhbGci…(100 characters)",
		"authorization: Bearer too-short": "authorization: Bearer (hidden, 9 characters)",
	} {
		if got := hideHeader(line); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}

func TestHideForm(t *testing.T) {
	got := hideForm("client_id=a&client_secret=b%2Bc&scope=d")
	if want := []string{"client_id=a", "client_secret=(hidden, 3 characters)", "scope=d"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := hideForm(""); got != nil {
		t.Errorf("no form becomes %q", got)
	}
}

func TestHideToken(t *testing.T) {
	token := "eyJhbGci" + strings.Repeat("x", 92)
	for body, want := range map[string]string{
		`{"access_token":"` + token + `","expires_in":1}` + "\n": `{"access_token":"eyJhbGci…(100 characters)","expires_in":1}`,
		`{"jobs":[]}`: `{"jobs":[]}`,
		"busy":        "busy",
	} {
		if got := hideToken(body); got != want {
			t.Errorf("%q becomes %q, want %q", body, got, want)
		}
	}
}
