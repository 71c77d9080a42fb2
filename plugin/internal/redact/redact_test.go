package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"automatic-rostering/plugin/internal/redact"
)

const (
	mark = "[redacted]"
	many = 1 << 20 // no limit that matters
)

func TestASecretIsFoundInEachEncoding(t *testing.T) {
	const secret = "a b/+%é\"\\😀~"
	for _, tt := range []struct{ name, text string }{
		{"plain", secret},
		{"percent-encoded, capitals", `a%20b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80~`},
		{"percent-encoded, small letters", `a%20b%2f%2b%25%c3%a9%22%5c%f0%9f%98%80~`},
		{"percent-encoded, a mixture", `a%20b%2f%2B%25%c3%A9%22%5C%F0%9f%98%80~`},
		{"percent-encoded, only where it must be", "a%20b/+%25%C3%A9%22%5C%F0%9F%98%80~"},
		{"percent-encoded, all of it", `%61%20%62%2f%2b%25%c3%a9%22%5c%f0%9f%98%80%7e`},
		{"form-encoded, as browsers do it", `a+b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80%7E`},
		{"form-encoded, as Go does it", `a+b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80~`},
		{"form-encoded, small letters", `a+b%2f%2b%25%c3%a9%22%5c%f0%9f%98%80~`},
		{"form-encoded, with a percent-encoded space", `a%20b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80~`},
		{"JSON, as little as must be", `a b/+%é\"\\😀~`},
		{"JSON, as PHP does it", `a b\/+%\u00e9\"\\\ud83d\ude00~`},
		{"JSON, as .NET does it", `a b/\u002B%\u00E9\u0022\\\uD83D\uDE00~`},
		{"JSON, a mixture of capitals", `a b/\u002b%\u00E9\u0022\\\uD83d\uDe00~`},
		{"JSON, all of it", `\u0061\u0020\u0062\u002f\u002b\u0025\u00e9\u0022\u005c\ud83d\ude00\u007e`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, around := range []string{"", "x", " %", `\`, "é"} {
				got, cut := redact.Secrets([]byte(around+tt.text+around), []string{secret}, many, false)
				if want := around + mark + around; string(got) != want || cut {
					t.Errorf("between %q: got %q, %v", around, got, cut)
				}
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		secrets    []string
		want       string
	}{
		{"no text", "", []string{"s3cret"}, ""},
		{"no secret", "a text", nil, "a text"},
		{"an empty secret is none", "a text", []string{"", ""}, "a text"},
		{"text without the secret", "a s3cre text", []string{"s3cret"}, "a s3cre text"},
		{"the secret alone", "s3cret", []string{"s3cret"}, mark},
		{"twice in a row", "s3crets3cret", []string{"s3cret"}, mark + mark},
		{"after a beginning of itself", "s3cs3cret", []string{"s3cret"}, "s3c" + mark},
		{"after a beginning that overlaps", "aaab", []string{"aab"}, "a" + mark},
		{"several secrets", "one two three", []string{"one", "three"}, mark + " two " + mark},
		{"the longer of two", "token.long", []string{"token", "token.long"}, mark},
		{"the longer of two, named first", "token.long", []string{"token.long", "token"}, mark},
		{"each in another encoding", `s%33cret s\u0033cret`, []string{"s3cret"}, mark + " " + mark},
		{"another case is another text", "S3CRET", []string{"s3cret"}, "S3CRET"},
		{"a percent sign that begins no escape", "100%s3cret%", []string{"s3cret"}, "100%" + mark + "%"},
		{"a backslash that begins no escape", `\s3cret\`, []string{"s3cret"}, `\` + mark + `\`},
		{"a backslash in a secret is itself", `C:\new`, []string{`C:\new`}, mark},
		{"a backslash in a secret, JSON-escaped", `C:\\new`, []string{`C:\new`}, mark},
		{"a plus in a secret is itself", "a+b", []string{"a+b"}, mark},
		{"a plus is a space", "a+b", []string{"a b"}, mark},
		{"what only looks like an escape is itself", "a%20b", []string{"a%20b"}, mark},
		{"an escape that spells more than the rest", `ab\ud83d\ude00`, []string{"ab\xf0"}, `ab\ud83d\ude00`},
		{"a cut secret in a whole text stays", "x s3cre", []string{"s3cret"}, "x s3cre"},
		{"invalid UTF-8 is replaced", "\xffs3cret\xc3", []string{"s3cret"}, "\ufffd" + mark + "\ufffd"},
		{"U+FFFD stays", "\ufffds3cret\ufffd", []string{"s3cret"}, "\ufffd" + mark + "\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, cut := redact.Secrets([]byte(tt.text), tt.secrets, many, false)
			if string(got) != tt.want || cut {
				t.Errorf("got %q, %v, want %q", got, cut, tt.want)
			}
		})
	}
}

func TestASecretThatTheEndOfAPartialTextCuts(t *testing.T) {
	const secret = "s3cret/é"
	for _, tt := range []struct{ name, text, want string }{
		{"after its first byte", "x s", "x " + mark},
		{"in its middle", "x s3cr", "x " + mark},
		{"before its last byte", "x s3cret/\xc3", "x " + mark},
		{"not at all", "x s3cret/é", "x " + mark},
		{"percent-encoded", "x s3cret%2", "x " + mark},
		{"percent-encoded, after the percent sign", "x s3cret%", "x " + mark},
		{"percent-encoded, between bytes", "x s3cret%2F%C3", "x " + mark},
		{"JSON, after the backslash", `x s3cret\`, "x " + mark},
		{"JSON, in the digits", `x s3cret\u00`, "x " + mark},
		{"JSON, between characters", `x s3cret\/`, "x " + mark},
		{"text that only begins like it", "x s3cx", "x s3cx"},
		{"no beginning of it", "x y", "x y"},
		{"a percent sign at the end may be anything", "x 100%", "x 100%"},
		{"percent-encoded from its second byte on", "x s%3", "x " + mark},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, cut := redact.Secrets([]byte(tt.text), []string{secret}, many, true)
			if string(got) != tt.want || !cut {
				t.Errorf("got %q, %v, want %q", got, cut, tt.want)
			}
		})
	}
}

func TestASurrogatePairThatTheEndCuts(t *testing.T) {
	const secret = "ab😀cd"
	whole := `ab\ud83d\ude00cd`
	for end := 1; end <= len(whole); end++ {
		if got, _ := redact.Secrets([]byte("x"+whole[:end]), []string{secret}, many, true); string(got) != "x"+mark {
			t.Errorf("%q gives %q", whole[:end], got)
		}
	}
}

func TestTheLimit(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		limit      int
		want       string
		cut        bool
	}{
		{"a byte below", "abc", 4, "abc", false},
		{"exactly", "abcd", 4, "abcd", false},
		{"a byte above", "abcde", 4, "abcd", true},
		{"before a character of two bytes", "abcé", 4, "abc", true},
		{"behind a character of two bytes", "abéd", 4, "abé", true},
		{"in a character of three bytes", "ab€", 4, "ab", true},
		{"in a character of four bytes", "a😀", 4, "a", true},
		{"behind a character of four bytes", "😀a", 4, "😀", true},
		{"a text that begins with what does not fit", "😀", 3, "", true},
		{"nothing at all", "a", 0, "", true},
		{"a secret before the limit counts as its mark", "ab s3cret cd", 14, "ab " + mark + " ", true},
		{"a secret across the limit", "ab s3cret", 5, "ab [r", true},
		{"a secret that begins at the limit", "ab s3cret", 3, "ab ", true},
		{"a long secret that becomes shorter", "s3cret-that-is-long ab", 13, mark + " ab", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, cut := redact.Secrets([]byte(tt.text), []string{"s3cret", "s3cret-that-is-long"}, tt.limit, false)
			if string(got) != tt.want || cut != tt.cut {
				t.Errorf("got %q, %v, want %q, %v", got, cut, tt.want, tt.cut)
			}
		})
	}
}

func TestTheCutNeverSplitsACharacter(t *testing.T) {
	text := strings.Repeat("aé€😀", 4)
	for limit := range len(text) {
		got, cut := redact.Secrets([]byte(text), nil, limit, false)
		if !utf8.Valid(got) || !strings.HasPrefix(text, string(got)) || len(got) > limit || len(got) < limit-3 || !cut {
			t.Errorf("at %d: %q, %v", limit, got, cut)
		}
	}
}

func TestInvalidTextIsCutAfterItIsReplaced(t *testing.T) {
	text := strings.Repeat("\x80", 100)
	for limit, want := range map[int]int{50: 16, 51: 17, 52: 17, 53: 17, 299: 99, 300: 100} {
		got, cut := redact.Secrets([]byte(text), nil, limit, false)
		if string(got) != strings.Repeat("\ufffd", want) || cut != (want < 100) {
			t.Errorf("at %d: %q, %v", limit, got, cut)
		}
	}
}

func TestShortTexts(t *testing.T) {
	secrets := func() []string { return []string{"s3cret"} }
	if got := redact.Text("a s3cret "+strings.Repeat("x", 2000), secrets()); len(got) != 1024 || !strings.HasPrefix(got, "a "+mark+" x") {
		t.Errorf("got %d bytes: %.40s", len(got), got)
	}
	if got := redact.Reason("no s3cret", secrets); got != " (no "+mark+")" {
		t.Errorf("got %q", got)
	}
	if got := redact.Reason("", nil); got != "" {
		t.Errorf("without a reason: %q", got)
	}
}
