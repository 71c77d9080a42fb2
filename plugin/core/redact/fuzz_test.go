package redact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"automatic-rostering/plugin/core/redact"
)

// FuzzSecrets hides a secret in a text, in an encoding that style picks, and looks
// for it in the result.
func FuzzSecrets(f *testing.F) {
	f.Add("x ", " y", "s3cret/+ é", uint64(0), uint16(1024), uint16(9))
	f.Add("%", `\`, "😀😀\"\\", uint64(0xfedcba9876543210), uint16(8), uint16(3))
	f.Add("s3cret4", "2", "s3cret42", uint64(2), uint16(20), uint16(4))
	f.Add("1 ", " 2", "short", uint64(1), uint16(20), uint16(4))
	f.Fuzz(func(t *testing.T, before, after, secret string, style uint64, limit, end uint16) {
		if secret == "" || !utf8.ValidString(secret) || strings.ContainsAny(secret, "[]\ufffd") || strings.Contains("redacted", secret) {
			t.Skip("the secret cannot be distinguished from the mark")
		}
		hidden := encode(secret, style)
		text := before + hidden + after
		clean, cut := redact.Secrets([]byte(text), []string{secret}, int(limit), false)
		checkClean(t, string(clean), secret, hidden)
		if len(clean) > int(limit) {
			t.Errorf("%d bytes of %d", len(clean), limit)
		}
		if !utf8.Valid(clean) {
			t.Errorf("%q became invalid UTF-8: %q", text, clean)
		}
		all, _ := redact.Secrets([]byte(text), []string{secret}, many, false)
		if cut != (len(all) > int(limit)) || !strings.HasPrefix(string(all), string(clean)) {
			t.Errorf("%q, %v is no cut of %q", clean, cut, all)
		}
		if len(secret) < 8 && string(all) != mark {
			t.Errorf("a short secret leaves %q", all)
		}
		checkPartial(t, hidden[:1+int(end)%len(hidden)], secret)
	})
}

// FuzzSelfSimilar makes texts and secrets of few repeated pieces, so that they resemble each
// other and themselves. What is hidden must be what the oracle finds, in a linear number of
// steps.
func FuzzSelfSimilar(f *testing.F) {
	f.Add([]byte("000000000<1"), []byte("0000000001"), []byte("00000000"), false)
	f.Add([]byte("00<<<<1"), []byte("0<<<"), []byte("1"), true)
	f.Add([]byte("014>>>"), []byte("01<>>"), []byte("10>>>1"), true)
	f.Add([]byte("888888889:;"), []byte("8888888"), []byte(""), false)
	f.Add([]byte("00000000E"), []byte("0000000000"), []byte("99999"), true)
	f.Add([]byte("4444<<5=01"), []byte("400000000"), []byte(":;:;:;:;"), false)
	f.Add([]byte("00000000@@A"), []byte("0000000000"), []byte("?????"), true)
	f.Fuzz(func(t *testing.T, text, one, two []byte, partial bool) {
		secrets := []string{build(one, nil, 300), build(two, nil, 300), ""}
		for _, secret := range secrets[:2] {
			if len(secret) < 8 {
				t.Skip("too short to be searched for")
			}
		}
		checkAsOracle(t, build(text, secrets, 600), secrets, partial)
	})
}

// build concatenates pieces, to at most size bytes. Some double the text so far, or append
// what it was before the last piece, as Fibonacci words do; some are parts of secrets.
func build(recipe []byte, secrets []string, size int) string {
	pieces := []string{"a", "b", "1", "6", "%61", "%62", "%", "+", `\`, `\u0061`, `\n`, `\u`, "\n", " ", `\ud83d`, `\ude00`, "😀", "\xf0", "\x9f", "%C3%A9", "é", "\ufffd"}
	before, built := "b", ""
	for _, c := range recipe {
		last := built
		switch n := int(c - '0'); {
		case c == '<':
			built += built
		case c == '>':
			built += before
		case c == '=' && secrets != nil:
			built += secrets[0][:len(secrets[0])-1]
		case c == '?' && secrets != nil:
			built += secrets[1][:len(secrets[1])/2]
		default:
			built += pieces[n%len(pieces)]
		}
		before = last
		if len(built) > size {
			return built[:size]
		}
	}
	return built
}

func checkAsOracle(t *testing.T, text string, secrets []string, partial bool) {
	t.Helper()
	for partial && strings.HasSuffix(text, "\ufffd") {
		text = strings.TrimSuffix(text, "\ufffd") // what is left of a cut character is not shown
	}
	hidden, marks, steps := redact.Hidden([]byte(text), secrets, partial)
	wantHidden, wantMarks := findAll(text, secrets, partial)
	if !slices.Equal(hidden, wantHidden) || !slices.Equal(marks, wantMarks) {
		t.Errorf("%q in %q, %v:\nhides %v, not %v,\nmarks %v, not %v", secrets, text, partial, hidden, wantHidden, marks, wantMarks)
	}
	for i, must := range findLongest(text, secrets, partial) {
		if must && !hidden[i] {
			t.Errorf("%q in %q, %v: byte %d is shown", secrets, text, partial, i)
		}
	}
	if most := mostSteps(text, secrets); steps > most {
		t.Errorf("%q in %q: %d steps, more than %d", secrets, text, steps, most)
	}
	for _, secret := range secrets {
		if !utf8.ValidString(secret) {
			return // it may begin inside of a character, which is then shown
		}
	}
	clean, cut := redact.Secrets([]byte(text), secrets, many, partial)
	if want := show(text, hidden, marks); string(clean) != want || cut != partial {
		t.Errorf("%q in %q, %v: got %q, %v, want %q", secrets, text, partial, clean, cut, want)
	}
}

// checkClean searches for the secret as it was encoded, and as others would decode it.
func checkClean(t *testing.T, clean, secret, hidden string) {
	t.Helper()
	if strings.Contains(clean, hidden) {
		t.Errorf("%q is still in %q, as it was hidden", secret, clean)
	}
	for _, encoding := range encodings {
		if strings.Contains(decode(encoding, clean), secret) {
			t.Errorf("%q is still in %q, read as %s", secret, clean, encoding)
		}
	}
}

// checkPartial cuts the encoded secret at the end of a text: nothing of it may remain. A cut
// escape may be anything if there is nothing else, or if the secret itself contains the
// character with which escapes begin.
func checkPartial(t *testing.T, beginning, secret string) {
	t.Helper()
	const escapes = `%\`
	if strings.ContainsAny(secret, escapes) || strings.ContainsAny(beginning[:1], escapes) && len(beginning) < len(`\ud83d\ude00`) {
		return
	}
	clean, cut := redact.Secrets([]byte(beginning), []string{secret}, many, true)
	if rest := strings.ReplaceAll(string(clean), mark, ""); !cut || rest != "" {
		t.Errorf("%q, of %q, leaves %q, %v", beginning, secret, clean, cut)
	}
}

// encode writes text in one of the four encodings. The bits of style say which, and
// how each character is encoded if there is a choice.
func encode(text string, style uint64) string {
	bit := func() bool { style = style>>1 | style<<63; return style&1 == 1 }
	kind := style % 4
	var b strings.Builder
	for _, r := range text {
		switch {
		case kind == 0:
			b.WriteRune(r)
		case kind == 3:
			b.WriteString(escapeJSON(r, bit))
		case kind == 2 && r == ' ':
			b.WriteByte('+')
		case bit() && r != '%' && r != '+':
			b.WriteRune(r)
		default:
			for _, c := range []byte(string(r)) {
				b.WriteString(inCase("%%%02x", bit(), int(c)))
			}
		}
	}
	return b.String()
}

func escapeJSON(r rune, bit func() bool) string {
	if bit() {
		for _, escape := range []string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`} {
			if decode("JSON", escape) == string(r) {
				return escape
			}
		}
		if r != '\\' && r != '"' && r >= ' ' {
			return string(r)
		}
	}
	if high, low := utf16.EncodeRune(r); r > 0xffff {
		return inCase(`\u%04x`, bit(), int(high)) + inCase(`\u%04x`, bit(), int(low))
	}
	return inCase(`\u%04x`, bit(), int(r))
}

// inCase writes one number with small letters or capitals.
func inCase(format string, capitals bool, n int) string {
	if capitals {
		format = strings.ReplaceAll(format, "x", "X")
	}
	return fmt.Sprintf(format, n)
}
