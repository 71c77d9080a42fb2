package ascii_test

import (
	"net/url"
	"regexp"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/ascii"
)

// rfc3986 is the grammar of a path and a query (§3.3 and §3.4).
var rfc3986 = regexp.MustCompile(`^([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$`)

func TestEveryCharacterOfAPath(t *testing.T) {
	for c := range 256 {
		text := string([]byte{byte(c)})
		decoded, ok := ascii.PercentDecode(text)
		if ok != rfc3986.MatchString(text) || ok && string(decoded) != text {
			t.Errorf("PercentDecode(%q) = %q, %v", text, decoded, ok)
		}
	}
}

// FuzzPercentDecode compares PercentDecode with the grammar, and with net/url.PathUnescape, which is
// slower and bigger.
func FuzzPercentDecode(f *testing.F) {
	for _, text := range []string{"", "/a", "%2e%2E", "%252e", "%", "%2", "%zz", "a%00", "é%c3%a9", "+%2B", "a|b", "%2%20", "/?%5B"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ascii.PercentDecode(text)
		if want := ascii.AllVisible(text+"!") && rfc3986.MatchString(text); ok != want {
			t.Fatalf("%q: got %v, want %v", text, ok, want)
		}
		if want, err := url.PathUnescape(text); ok && (err != nil || string(got) != want) {
			t.Errorf("%q: got %q, want %q, %v", text, got, want, err)
		}
	})
}
