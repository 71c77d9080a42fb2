package service_test

import (
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/service"
)

// The rules show the rest of the errors. A long secret makes a long body short: then the end of what was read is visible.
func TestSecretCutByEndOfBody(t *testing.T) {
	secret := strings.Repeat("0123456789abcdef", 2<<10) // 32 KiB
	for cut := 1; cut <= 8; cut++ {
		text := strings.Repeat("x", cut) + strings.Repeat(secret, 9)
		r := &message.Response{Status: 500, Size: len(text), Load: func(most int) []byte { return []byte(text[:most]) }}
		object := service.NewError(r, &input.Own{}, []string{secret}, 0).JSON()
		if s := string(object); strings.Contains(s, "0123456789") || !strings.Contains(s, `"body_truncated":true`) {
			t.Fatalf("after %d bytes: %d bytes, …%s", cut, len(s), s[len(s)-100:])
		}
	}
}

func Test304IsNotARedirect(t *testing.T) {
	if e := service.NewError(&message.Response{Status: 304}, &input.Own{}, nil, 0); strings.Contains(e.Message, "redirect") {
		t.Errorf("got %+v", e)
	}
}

// From the first header that does not fit, all are omitted: what remains is valid JSON.
func TestLimitsOfHeaders(t *testing.T) {
	most := strings.Repeat(`"a":"b", `, 99) + `"a":"b"`
	for headers, want := range map[string]string{
		"{" + most + "}":                                    "{" + most + "}",
		"{" + most + `,"c":"d"}`:                            "{" + most + "}",
		`{"a":"` + long[7:] + `"}`:                          `{"a":"` + long[7:] + `"}`,
		`{"a":["b","` + long + `"]}`:                        `{}`,
		`{"a":["b"],"c":["d","` + long + `"]}`:              `{"a":["b"]}`,
		`{"a":"b","` + long + `":"c","d":"e"}`:              `{"a":"b"}`,
		`{"a":"b",` + strings.Repeat(" ", 1e5) + `"d":"e"}`: `{"a":"b"}`,
	} {
		e := service.NewError(&message.Response{Status: 500, Headers: []byte(headers)}, &input.Own{}, []string{"12345678"}, 0)
		if string(e.Headers) != want {
			t.Errorf("%.200s becomes %.200s, not %.200s", headers, e.Headers, want)
		}
	}
}

var long = strings.Repeat("x", 8<<10)
