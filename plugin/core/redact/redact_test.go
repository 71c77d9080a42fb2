package redact_test

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/redact"
)

const (
	many   = 1 << 20 // no limit that matters
	secret = "s3cret42"
)

// cases show what is hidden. The oracle computes the same, for other limits and for each
// beginning of the text, too; they also seed the fuzzer.
var cases = []struct {
	name, text string
	secrets    []string
	partial    bool
	want       string
}{
	{"no text", "", []string{secret, "short"}, false, ""},
	{"no secret", "a text", nil, false, "a text"},
	{"an empty secret hides nothing", "a text", []string{"", ""}, false, "a text"},
	{"the secret", "a s3cret42 text", []string{secret}, false, "a " + mark + " text"},
	{"all but its last byte", "x s3cret4", []string{secret}, false, "x s3cret4"},
	{"another case is another text", "S3CRET42", []string{secret}, false, "S3CRET42"},
	{"twice in a row", "s3cret42s3cret42", []string{secret}, false, mark + mark},
	{"after a beginning of itself", "s3cs3cret42", []string{secret}, false, "s3c" + mark},
	{"after a beginning that overlaps", "aaaaaaaab", []string{"aaaaaaab"}, false, "a" + mark},
	{"overlapping itself", "<abababababab>", []string{"abababab"}, false, "<" + mark + ">"},
	{"overlapping itself and then again", "<ababababababababababa>", []string{"abababab"}, false, "<" + mark + "a>"},
	{"overlapping another", "<s3cret42-tail>", []string{"42-tail>", secret}, false, "<" + mark},
	{"overlapping in another encoding", "<abcdefg%20hijklmno>", []string{"abcdefg%", " hijklmno"}, false, "<" + mark + ">"},
	{"within another", "<s3cret42-tail>", []string{"3cret42-", "s3cret42-tail"}, false, "<" + mark + ">"},
	{"several secrets", "number-one two number-three", []string{"number-one", "number-three"}, false, mark + " two " + mark},
	{"the longer of two", "a-token.long", []string{"a-token.", "a-token.long"}, false, mark},
	{"each in another encoding", `s%33cret42 s\u0033cret42`, []string{secret}, false, mark + " " + mark},
	{"invalid UTF-8 is replaced", "\xff\x80s3cret42\xc3", []string{secret}, false, "\ufffd\ufffd" + mark + "\ufffd"},
	{"U+FFFD stays", "\ufffds3cret42\ufffd", []string{secret}, false, "\ufffd" + mark + "\ufffd"},
	{"characters of one to four bytes", "aé€😀aé€😀", nil, false, "aé€😀aé€😀"},

	{"a percent sign that begins no escape", "100%s3cret42%", []string{secret}, false, "100%" + mark + "%"},
	{"a backslash that begins no escape", `\s3cret42\`, []string{secret}, false, `\` + mark + `\`},
	{"a backslash in a secret is itself", `C:\new\dir`, []string{`C:\new\dir`}, false, mark},
	{"a backslash in a secret, JSON-escaped", `C:\\new\\dir`, []string{`C:\new\dir`}, false, mark},
	{"a plus in a secret is itself", "aaaa+bbb", []string{"aaaa+bbb"}, false, mark},
	{"a plus is a space", "+aaa+bbb", []string{" aaa bbb"}, false, mark},
	{"what looks like escapes of two kinds is itself", `aa%20b\nb`, []string{`aa%20b\nb`}, false, mark},
	{"from the middle of an escape", "%61%33cret42", []string{"13cret42"}, false, "%6" + mark},
	{"from the middle of a JSON escape", `\u0061\u0033cret42`, []string{"0613cret42"}, false, `\u0` + mark},
	{"from a backslash that another one escapes", `\\\\u0033cret42`, []string{`\3cret42`}, false, `\` + mark},
	{"from the second half of a surrogate pair", `\ud83d\ude00cret42`, []string{"\ufffdcret42"}, false, `\ud83d` + mark},
	{"from an escape within the secret on", "1bcdefg%61bcdef%67a2", []string{"1bcdefga"}, false, mark + "2"},
	{"of two that meet, the first ends last", `u\u0030030030x`, []string{"u0030030"}, false, mark + "x"},
	{"an escape that spells more than the rest", `abcdefg\ud83d\ude00`, []string{"abcdefg\xf0"}, false, mark},

	{"UTF-8 that was read as ISO-8859-1", "Ã¼ s3cret/Ã©â\u0082¬ð\u009f\u0098\u0080", []string{"s3cret/é€😀"}, false, "Ã¼ " + mark},
	{"all but the last byte of that", "s3cret/Ã", []string{"s3cret/é"}, false, "s3cret/Ã"},
	{"of that, each character", "éÃ©Ã©Ã©Ã©é", []string{"éééé"}, false, "é" + mark + "é"},

	{"a short secret hides the text", "a text", []string{"1234567"}, false, shortMark},
	{"a short secret after a long one that is there", "the first-secret", []string{"first-secret", "x"}, false, shortMark},
	{"eight bytes are long enough", "a text", []string{"12345678", "éééé"}, false, "a text"},

	{"the end cuts it after its first byte", "x s", []string{secret}, true, "x " + mark},
	{"the end cuts it between bytes of a character", "x s3cret/\xc3", []string{"s3cret/é"}, true, "x " + mark},
	{"the end cut a character, which the host decoded", "x s3cret/\ufffd\ufffd", []string{"s3cret/é"}, true, "x " + mark},
	{"the end cuts an escape", "x s3cret%2", []string{"s3cret/é"}, true, "x " + mark},
	{"the end cuts a JSON escape", `x s3cret\u00`, []string{"s3cret/é"}, true, "x " + mark},
	{"the end cuts it behind another one", "s3cret42s3cr", []string{secret}, true, mark + mark},
	{"from the middle of an escape to the end", "x %5s3cr", []string{secret}, true, "x %5" + mark},
	{"the end cuts a character that was read as ISO-8859-1", "x s3cret/Ã©\xc3", []string{"s3cret/éé"}, true, "x " + mark},
	{"the end cuts the second one of those", "x s3cret/Ã©Ã\xc2", []string{"s3cret/éé"}, true, "x " + mark},
	{"the end cuts the first one", "x \xc3", []string{"éééé"}, true, "x " + mark},
	{"then what may be an escape that the end cuts", `x s\123456789.`, []string{secret}, true, "x " + mark},
	{"then what cannot be one", `x s\1234567890.`, []string{secret}, true, `x s\1234567890.`},
	{"text that only begins like it", "x s3cx", []string{secret}, true, "x s3cx"},
	{"a percent sign at the end may be anything", "x 100%", []string{secret}, true, "x 100%"},
	{"its own beginning, once and again", "-babababab", []string{"abababab-1", "bababa-two"}, true, "-b" + mark},
	{"a long beginning", "- x-longlonglong", []string{"x-" + strings.Repeat("long", 100)}, true, "- " + mark},
	{"a long beginning that goes wrong", "- x-longlonglon ", []string{"x-" + strings.Repeat("long", 100)}, true, "- x-longlonglon "},
	{"from the second byte of a character on", "€3456", []string{"\x82\xac345678"}, true, "€" + mark},
}

func TestSecrets(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			if got, cut := redact.NewSearch(tt.secrets).Redact([]byte(tt.text), many, tt.partial); string(got) != tt.want || cut != tt.partial {
				t.Errorf("got %q, %v, want %q", got, cut, tt.want)
			}
			for end := range len(tt.text) + 1 {
				compare(t, tt.text[:end], tt.secrets, many, true)
				compare(t, tt.text[:end], tt.secrets, end, tt.partial)
			}
			compare(t, tt.text, tt.secrets, len(tt.want), tt.partial)
		})
	}
}

// compare compares Search.Redact with the oracle, or, if the search was given up, what precedes its last mark.
func compare(t *testing.T, text string, secrets []string, limit int, partial bool) {
	t.Helper()
	if !utf8.ValidString(strings.Join(secrets, "")) {
		return // one may begin inside of a character, which is then shown
	}
	clean, cut := redact.NewSearch(secrets).Redact([]byte(text), limit, partial)
	got := string(clean)
	if text != "" && limit >= len(text) && !partial && utf8.ValidString(text) && redact.NewSearch(secrets).Clean([]byte(text)) != (got == text && !strings.Contains(text, `\`)) {
		t.Errorf("%q in %.999q: Clean is wrong", secrets, text)
	}
	want, wantCut := want(text, secrets, limit, partial)
	if shown := strings.TrimSuffix(got, mark); got != want && givenUp(text, secrets, partial) && strings.HasPrefix(want, shown) {
		return
	}
	if got != want || cut != wantCut {
		t.Errorf("%q in %.999q, at most %d bytes, partial: %v:\n got %.999q, %v\nwant %.999q, %v", secrets, text, limit, partial, got, cut, want, wantCut)
	}
}

func givenUp(text string, secrets []string, partial bool) bool {
	return redact.Steps([]byte(text), secrets, partial) >= redact.MaxSteps
}

// Each is what an encoder makes of the secret.
func TestFindsSecretInEachEncoding(t *testing.T) {
	secrets := []string{"a b/+%é\"\\😀~"}
	for _, text := range []string{
		secrets[0],
		`a%20b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80~`, `a%20b%2f%2B%25%c3%A9%22%5C%F0%9f%98%80~`, // capitals, and a mixture
		"a%20b/+%25%C3%A9%22%5C%F0%9F%98%80~", `%61%20%62%2f%2b%25%c3%a9%22%5c%f0%9f%98%80%7e`, // as little as must be, and all
		`a+b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80%7E`, `a+b%2F%2B%25%C3%A9%22%5C%F0%9F%98%80~`, // forms of browsers and Go
		`a b/+%é\"\\😀~`, `a b\/+%\u00e9\"\\\ud83d\ude00~`, `a b/\u002B%\u00E9\u0022\\\uD83D\uDE00~`, // JSON, of PHP and .NET, too
		`\u0061\u0020\u0062\u002f\u002b\u0025\u00e9\u0022\u005c\ud83d\ude00\u007e`,
	} {
		for _, around := range []string{"", "x", " %", `\`, "é"} {
			if got, _ := redact.NewSearch(secrets).Redact([]byte(around+text+around), many, false); string(got) != around+mark+around {
				t.Errorf("%q between %q becomes %q", text, around, got)
			}
		}
		for end := range len(text) {
			compare(t, "x"+text[:end], secrets, many, true)
		}
	}
}

// FuzzSecrets compares with the oracle. Recipes of self-similar text find more than random bytes.
func FuzzSecrets(f *testing.F) {
	for _, c := range cases {
		secrets := append(c.secrets, "", "")
		f.Add([]byte(c.text), []byte(secrets[0]), []byte(secrets[1]), uint16(14), c.partial)
	}
	const double, repeat, one, two = "\x17", "\x18", "\x19", "\x1a"
	for _, c := range [][3]string{
		{"aaaaaaa" + double + "b", "aaaaaaaaab", "aaaaaaaa"},
		{"ab" + double + double + double + double + "b", "a" + double + double + double, "b"},
		{"ab%61" + repeat + repeat + repeat, "ab" + double + double + repeat, "bab%61" + repeat},
		{"a" + one + "b" + one + two + two, "aaaaaaaaaa", `\u0061b\u0061` + double},
		{`\ud83d\ude00` + double + double + double, "😀" + double + double + "x", "\ufffd" + double + double},
		{`\` + double + double + double + double + "n", `\` + double + double + double + "\n", `\\\\\\\\`},
		{"+%2B" + double + double + double + "+", "    " + double + "+", "++++++++"},
	} {
		f.Add([]byte(c[0]), []byte(c[1]), []byte(c[2]), uint16(300), true)
		f.Add([]byte(c[0]), []byte(c[1]), []byte(c[2]), uint16(300), false)
	}
	f.Fuzz(func(t *testing.T, text, one, two []byte, limit uint16, partial bool) {
		secrets := []string{build(one, nil, 300), build(two, nil, 300), ""}
		compare(t, build(text, secrets, 600), secrets, int(limit), partial)
	})
}

// build makes text of at most size bytes. Control characters stand for pieces, double the text so
// far, append what it was before the last step, as Fibonacci words do, or parts of secrets.
func build(recipe []byte, secrets []string, size int) string {
	pieces := []string{"%61", "%62", `\u0061`, `\n`, `\u`, `\ud83d`, `\ude00`, "😀", "\xf0", "\x9f", "%C3%A9", "é", "\ufffd"}
	before, built := "b", ""
	for _, c := range recipe {
		last := built
		switch {
		case int(c) < len(pieces):
			built += pieces[c]
		case c == 0x17:
			built += built
		case c == 0x18:
			built += before
		case (c == 0x19 || c == 0x1a) && secrets != nil:
			s := secrets[c-0x19]
			built += s[:len(s)-len(s)/3]
		default:
			built += string([]byte{c})
		}
		before = last
		if len(built) > size {
			return built[:size]
		}
	}
	return built
}

// A search in a text that almost repeats a secret, which almost repeats itself, is given up: it hides the rest, in bounded time
// and memory.
func TestSelfSimilarSecrets(t *testing.T) {
	const size = 800
	for name, tt := range map[string]struct{ text, secret string }{
		"one byte":                        {"a", "a"},
		"one byte, percent-encoded":       {"%61", "a"},
		"one byte, JSON-escaped":          {`\u0061`, "a"},
		"backslashes, JSON-escaped twice": {`\`, `\`},
		"halves of surrogate pairs":       {`\ud83d`, "\ufffd"},
		"spaces":                          {"+", " "},
	} {
		t.Run(name, func(t *testing.T) {
			text, secret := "é"+strings.Repeat(tt.text, size), strings.Repeat(tt.secret, size/2)+"x"
			compare(t, text, []string{"first-secret", secret}, many, false)
			if steps := redact.Steps([]byte(text), []string{secret}, true); steps < size/2 || steps > redact.MaxSteps+5*len(secret) {
				t.Errorf("%d steps", steps)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			redact.NewSearch([]string{secret, "another secret"}).Redact([]byte(text), many, true)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > uint64(4*len(text)+4000) {
				t.Errorf("%d bytes", got)
			}
		})
	}
}

// The texts of a call share the budget of one search: what follows a text that took it counts as secret.
func TestOneBudgetForAllTexts(t *testing.T) {
	secret := strings.Repeat("a", 1000)
	s := redact.NewSearch([]string{secret})
	almost := []byte(strings.Repeat("-"+secret[1:], 1000))
	for range 100 {
		s.Redact(almost, 8<<10, false)
	}
	if got := s.Text("no secret"); got != "no secret" {
		t.Errorf("a text in which no secret can begin is hidden: %q", got)
	}
	if got := s.Text("x, and more"); got != "x, "+mark {
		t.Errorf("got %q after the budget", got)
	}
}

func TestTextAndReason(t *testing.T) {
	secrets := []string{secret}
	if got := redact.Text("a s3cret42 "+strings.Repeat("x", 2000), secrets); len(got) != 1024 || !strings.HasPrefix(got, "a "+mark+" x") {
		t.Errorf("got %d bytes: %.40s", len(got), got)
	}
	if got := redact.Text("a s3cret", secrets); got != "a s3cret" {
		t.Errorf("got %q: it is not partial", got)
	}
	if got := redact.NewSearch(secrets).Reason("no s3cret42") + redact.NewSearch(nil).Reason(""); got != " (no "+mark+")" {
		t.Errorf("got %q", got)
	}
}

func TestTextHidesPasswordsOfURLs(t *testing.T) {
	for text, want := range map[string]string{
		"redis://user:pass@host:6379/0 for a@b":    "redis://" + mark + "@host:6379/0 for a@b",
		"by http://p@ss:w@rd@proxy, to http://h/x": "by http://" + mark + "@proxy, to http://h/x",
		`"https://host" and a@b`:                   `"https://host" and a@b`,
		"://@":                                     "://@",
		"x://@y://user:pass@host":                  "x://" + mark + "@host",
		"\"a://b@c\" d://e@f\n":                    "\"a://" + mark + "@c\" d://" + mark + "@f\n",
		"x://":                                     "x://",
	} {
		if got := redact.Text(text, nil); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
}
