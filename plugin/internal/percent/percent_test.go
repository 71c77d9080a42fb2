package percent_test

import (
	"net/url"
	"testing"

	"automatic-rostering/plugin/internal/percent"
)

// net/url.PathUnescape is the same, slower and bigger.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", "/a", "%2e%2E", "%252e", "%", "%2", "%zz", "a%00", "é%c3%a9", "+%2B"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := percent.Decode(text)
		want, err := url.PathUnescape(text)
		if ok != (err == nil) || string(got) != want {
			t.Errorf("%q: got %q, %v, want %q, %v", text, got, ok, want, err)
		}
	})
}
