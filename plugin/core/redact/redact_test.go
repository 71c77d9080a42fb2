package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"automatic-rostering/plugin/core/redact"
)

const (
	mark = "[redacted]"
	many = 1 << 20 // no limit that matters
)

func TestFindsSecretInEachEncoding(t *testing.T) {
	const secret = "a b/+%é\"\\😀~"
	for _, tt := range []struct{ name, text string }{
		{"plain", secret},
		{"percent-encoded, capitals", `a%20b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80~`},
		{"percent-encoded, small letters", `a%20b%2f%2b%25%c3%a9%22%5c%f0%9f%98%80~`},
		{"percent-encoded, a mixture", `a%20b%2f%2B%25%c3%A9%22%5C%F0%9f%98%80~`},
		{"percent-encoded, only if necessary", "a%20b/+%25%C3%A9%22%5C%F0%9F%98%80~"},
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
	const secret = "s3cret42"
	for _, tt := range []struct {
		name, text string
		secrets    []string
		want       string
	}{
		{"no text", "", []string{secret}, ""},
		{"no secret", "a text", nil, "a text"},
		{"an empty secret hides nothing", "a text", []string{"", ""}, "a text"},
		{"text without the secret", "a s3cret4 text", []string{secret}, "a s3cret4 text"},
		{"text that is shorter than the secret", "s3cret4", []string{secret}, "s3cret4"},
		{"the secret alone", "s3cret42", []string{secret}, mark},
		{"twice in a row", "s3cret42s3cret42", []string{secret}, mark + mark},
		{"after a beginning of itself", "s3cs3cret42", []string{secret}, "s3c" + mark},
		{"after a beginning that overlaps", "aaaaaaaab", []string{"aaaaaaab"}, "a" + mark},
		{"overlapping itself", "<abababababab>", []string{"abababab"}, "<" + mark + ">"},
		{"overlapping itself and then again", "<ababababababababababa>", []string{"abababab"}, "<" + mark + "a>"},
		{"overlapping another", "<s3cret42-tail>", []string{"42-tail>", secret}, "<" + mark},
		{"overlapping in another encoding", "<abcdefg%20hijklmno>", []string{"abcdefg%", " hijklmno"}, "<" + mark + ">"},
		{"within another", "<s3cret42-tail>", []string{"3cret42-", "s3cret42-tail"}, "<" + mark + ">"},
		{"several secrets", "number-one two number-three", []string{"number-one", "number-three"}, mark + " two " + mark},
		{"the longer of two", "a-token.long", []string{"a-token.", "a-token.long"}, mark},
		{"the longer of two, named first", "a-token.long", []string{"a-token.long", "a-token."}, mark},
		{"each in another encoding", `s%33cret42 s\u0033cret42`, []string{secret}, mark + " " + mark},
		{"another case is another text", "S3CRET42", []string{secret}, "S3CRET42"},
		{"a percent sign that begins no escape", "100%s3cret42%", []string{secret}, "100%" + mark + "%"},
		{"a backslash that begins no escape", `\s3cret42\`, []string{secret}, `\` + mark + `\`},
		{"a backslash in a secret is itself", `C:\new\dir`, []string{`C:\new\dir`}, mark},
		{"a backslash in a secret, JSON-escaped", `C:\\new\\dir`, []string{`C:\new\dir`}, mark},
		{"a plus in a secret is itself", "aaaa+bbb", []string{"aaaa+bbb"}, mark},
		{"a plus is a space", "aaaa+bbb", []string{"aaaa bbb"}, mark},
		{"what looks like escapes of two kinds is itself", `aa%20b\nb`, []string{`aa%20b\nb`}, mark},
		{"what only looks like an escape is itself", "aa%20bbb", []string{"aa%20bbb"}, mark},
		{"from the middle of an escape", "%613cret42", []string{"13cret42"}, "%6" + mark},
		{"from the middle of an escape, then escaped", "%61%33cret42", []string{"13cret42"}, "%6" + mark},
		{"from the middle of a JSON escape", `\u0061\u0033cret42`, []string{"0613cret42"}, `\u0` + mark},
		{"from a backslash that another one escapes", `\\\\u0033cret42`, []string{`\3cret42`}, `\` + mark},
		{"from the second half of a surrogate pair", `\ud83d\ude00cret42`, []string{"\ufffdcret42"}, `\ud83d` + mark},
		{"from an escape within the secret on", "1bcdefg%61bcdef%67a2", []string{"1bcdefga"}, mark + "2"},
		{"of two that meet, the first ends last", `u\u0030030030x`, []string{"u0030030"}, mark + "x"},
		{"an escape that spells more than the rest", `abcdefg\ud83d\ude00`, []string{"abcdefg\xf0"}, mark},
		{"a cut secret in a whole text stays", "x s3cret4", []string{secret}, "x s3cret4"},
		{"invalid UTF-8 is replaced", "\xffs3cret42\xc3", []string{secret}, "\ufffd" + mark + "\ufffd"},
		{"U+FFFD stays", "\ufffds3cret42\ufffd", []string{secret}, "\ufffd" + mark + "\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, cut := redact.Secrets([]byte(tt.text), tt.secrets, many, false)
			if string(got) != tt.want || cut {
				t.Errorf("got %q, %v, want %q", got, cut, tt.want)
			}
		})
	}
}

func TestShortSecretHidesText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		secrets    []string
		limit      int
		partial    bool
		want       string
		cut        bool
	}{
		{"7 bytes", "a text", []string{"1234567"}, many, false, mark, false},
		{"1 byte", "a text", []string{"x"}, many, false, mark, false},
		{"8 bytes", "a text", []string{"12345678"}, many, false, "a text", false},
		{"4 characters of 2 bytes", "a text", []string{"éééé"}, many, false, "a text", false},
		{"after a long one that is there", "the first-secret", []string{"first-secret", "x"}, many, false, mark, false},
		{"no text", "", []string{"x"}, many, false, "", false},
		{"a partial text", "a text", []string{"x"}, many, true, mark, true},
		{"a long text is not cut, but hidden", "a longer text", []string{"x"}, len(mark), false, mark, false},
		{"a mark that is too long", "a text", []string{"x"}, 4, false, mark[:4], true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, cut := redact.Secrets([]byte(tt.text), tt.secrets, tt.limit, tt.partial)
			if string(got) != tt.want || cut != tt.cut {
				t.Errorf("got %q, %v, want %q, %v", got, cut, tt.want, tt.cut)
			}
		})
	}
}

func TestSecretCutByEndOfText(t *testing.T) {
	const secret = "s3cret/é"
	for _, tt := range []struct{ name, text, want string }{
		{"after its first byte", "x s", "x " + mark},
		{"in its middle", "x s3cr", "x " + mark},
		{"before its last byte", "x s3cret/\xc3", "x " + mark},
		{"not at all", "x s3cret/é", "x " + mark},
		{"behind another one", "s3cret/és3cr", mark + mark},
		{"percent-encoded", "x s3cret%2", "x " + mark},
		{"percent-encoded, after the percent sign", "x s3cret%", "x " + mark},
		{"percent-encoded, between bytes", "x s3cret%2F%C3", "x " + mark},
		{"percent-encoded, all of it", "x %73%33%63", "x " + mark},
		{"JSON, after the backslash", `x s3cret\`, "x " + mark},
		{"JSON, in the digits", `x s3cret\u00`, "x " + mark},
		{"JSON, between characters", `x s3cret\/`, "x " + mark},
		{"from the middle of an escape", "x %5s3cr", "x %5" + mark},
		{"then what may be an escape", `x s\123456789.`, "x " + mark},
		{"then what cannot be an escape", `x s\1234567890.`, `x s\1234567890.`},
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

func TestBeginningsOfSecretsAtEnd(t *testing.T) {
	secrets := []string{"abababab-1", "bababa-two", "x-" + strings.Repeat("long", 100), "\x82\xac345678"}
	for text, want := range map[string]string{
		"-babababab":         "-b" + mark,
		"-abababab":          "-" + mark,
		"abababab-1abababab": mark + mark,
		"aabababa-two":       "aa" + mark,
		"- x-longlong":       "- " + mark,
		"- x-longlon ":       "- x-longlon ",
		"€3456":              "€" + mark, // from its second byte on
	} {
		if got, _ := redact.Secrets([]byte(text), secrets, many, true); string(got) != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

func TestSurrogatePairCutByEnd(t *testing.T) {
	const secret = "ab😀cdef"
	whole := `ab\ud83d\ude00cdef`
	for end := 1; end <= len(whole); end++ {
		if got, _ := redact.Secrets([]byte("x"+whole[:end]), []string{secret}, many, true); string(got) != "x"+mark {
			t.Errorf("%q gives %q", whole[:end], got)
		}
	}
}

func TestLimit(t *testing.T) {
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
		{"a secret before the limit counts as its mark", "ab s3cret42 cd", 14, "ab " + mark + " ", true},
		{"a secret across the limit", "ab s3cret42", 5, "ab [r", true},
		{"a secret that begins at the limit", "ab s3cret42", 3, "ab ", true},
		{"a long secret that becomes shorter", "s3cret42-that-is-long ab", 13, mark + " ab", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, cut := redact.Secrets([]byte(tt.text), []string{"s3cret42", "s3cret42-that-is-long"}, tt.limit, false)
			if string(got) != tt.want || cut != tt.cut {
				t.Errorf("got %q, %v, want %q, %v", got, cut, tt.want, tt.cut)
			}
		})
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	text := strings.Repeat("aé€😀", 4)
	for limit := range len(text) {
		got, cut := redact.Secrets([]byte(text), nil, limit, false)
		if !utf8.Valid(got) || !strings.HasPrefix(text, string(got)) || len(got) > limit || len(got) < limit-3 || !cut {
			t.Errorf("at %d: %q, %v", limit, got, cut)
		}
	}
}

func TestReplacesInvalidTextThenCuts(t *testing.T) {
	text := strings.Repeat("\x80", 100)
	for limit, want := range map[int]int{50: 16, 51: 17, 52: 17, 53: 17, 299: 99, 300: 100} {
		got, cut := redact.Secrets([]byte(text), nil, limit, false)
		if string(got) != strings.Repeat("\ufffd", want) || cut != (want < 100) {
			t.Errorf("at %d: %q, %v", limit, got, cut)
		}
	}
}

func TestCutsTextAndReason(t *testing.T) {
	secrets := []string{"s3cret42"}
	if got := redact.Text("a s3cret42 "+strings.Repeat("x", 2000), secrets); len(got) != 1024 || !strings.HasPrefix(got, "a "+mark+" x") {
		t.Errorf("got %d bytes: %.40s", len(got), got)
	}
	if got := redact.Reason("no s3cret42", secrets); got != " (no "+mark+")" {
		t.Errorf("got %q", got)
	}
	if got := redact.Reason("", nil); got != "" {
		t.Errorf("without a reason: %q", got)
	}
}

func TestEmptyText(t *testing.T) {
	if got, cut := redact.Secrets(nil, []string{"s3cret42", "short"}, 10, true); len(got) != 0 || !cut {
		t.Errorf("%q, %v", got, cut)
	}
}
