package redact_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"automatic-rostering/plugin/internal/redact"
)

// FuzzSecrets hides a secret in a text, in an encoding that style picks, and looks
// for it in what comes out.
func FuzzSecrets(f *testing.F) {
	f.Add("x ", " y", "s3cret/+ é", uint64(0), uint16(1024), uint16(9))
	f.Add("%", `\`, "😀\"\\", uint64(0xfedcba9876543210), uint16(8), uint16(3))
	f.Add("s3cre", "t", "s3cret", uint64(2), uint16(20), uint16(4))
	f.Fuzz(func(t *testing.T, before, after, secret string, style uint64, limit, end uint16) {
		if secret == "" || !utf8.ValidString(secret) || strings.ContainsAny(secret, "[]") || strings.Contains("redacted", secret) {
			t.Skip("no secret that can be told from the mark")
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
		if all, _ := redact.Secrets([]byte(text), []string{secret}, many, false); cut != (len(all) > int(limit)) ||
			!strings.HasPrefix(string(all), string(clean)) {
			t.Errorf("%q, %v is no cut of %q", clean, cut, all)
		}
		checkPartial(t, hidden[:1+int(end)%len(hidden)], secret)
	})
}

// checkClean looks for the secret as it was hidden, and as others would read it.
func checkClean(t *testing.T, clean, secret, hidden string) {
	t.Helper()
	readings := map[string]string{"as it was hidden": clean, "plain": clean, "percent": unpercent(clean),
		"form": unpercent(strings.ReplaceAll(clean, "+", " ")), "JSON": unescape(clean)}
	for name, reading := range readings {
		if name == "as it was hidden" && strings.Contains(reading, hidden) || strings.Contains(reading, secret) {
			t.Errorf("%q is still in %q, %s", secret, clean, name)
		}
	}
}

// checkPartial cuts the hidden secret at the end of a text: nothing may be left of
// it. An escape that is cut short may be anything where it is all that there is, or
// where the secret itself holds the character that escapes begin with.
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
// how each character is written where there is a choice.
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
			if unescape(escape) == string(r) {
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

// unpercent reads percent-escapes; what is none stands for itself.
func unpercent(text string) string {
	var b strings.Builder
	for text != "" {
		size := 1
		if spelled, err := url.PathUnescape(text[:min(3, len(text))]); err == nil && text[0] == '%' {
			b.WriteString(spelled)
			size = 3
		} else {
			b.WriteByte(text[0])
		}
		text = text[size:]
	}
	return b.String()
}

// unescape reads JSON's escapes; what is none stands for itself.
func unescape(text string) string {
	var b strings.Builder
	for text != "" {
		size := 1
		spelled := text[:1]
		for _, n := range []int{12, 6, 2} {
			var read string
			if text[0] == '\\' && len(text) >= n && (n < 12 || text[6] == '\\') &&
				json.Unmarshal([]byte(`"`+text[:n]+`"`), &read) == nil && utf8.RuneCountInString(read) == 1 {
				spelled, size = read, n
				break
			}
		}
		b.WriteString(spelled)
		text = text[size:]
	}
	return b.String()
}
