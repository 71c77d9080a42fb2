package service_test

import (
	"strings"
	"testing"

	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/service"
)

// The scenarios show the rest of the errors. A long secret makes a long body short: then the end of what was read is visible.
func TestSecretCutByEndOfBody(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 2<<10) // 32 KiB
	for cut := 1; cut <= 8; cut++ {
		text := strings.Repeat("x", cut) + strings.Repeat(long, 9)
		r := &message.Response{Status: 500, Size: len(text), Load: func(most int) []byte { return []byte(text[:most]) }}
		object := service.NewError(r, []string{long}).AppendJSON(nil)
		if s := string(object); strings.Contains(s, "0123456789") || !strings.Contains(s, `"body_truncated":true`) {
			t.Fatalf("after %d bytes: %d bytes, …%s", cut, len(s), s[len(s)-100:])
		}
	}
}

func Test304IsNotARedirect(t *testing.T) {
	if e := service.NewError(&message.Response{Status: 304}, nil); strings.Contains(e.Message, "redirect") {
		t.Errorf("got %+v", e)
	}
}
