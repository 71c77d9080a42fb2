// Package redact takes secrets out of text that others sent, before it goes into
// an error.
package redact

import "unicode/utf8"

const mark = "[redacted]"

// Secrets returns text without any of the secrets and with U+FFFD for invalid UTF-8,
// cut at limit bytes, and whether it was cut. A secret is found as it is, percent-encoded, form-encoded
// and JSON-escaped. partial says that text is itself the start of something
// longer: a secret that may go on beyond its end is then taken out as well.
//
// The cut never splits a UTF-8 sequence. Nothing is read beyond what the limit
// lets out, so the cost does not grow with a long text.
func Secrets(text []byte, secrets []string, limit int, partial bool) (clean []byte, cut bool) {
	clean = make([]byte, 0, min(len(text), limit)+len(mark))
	for i := 0; i < len(text) && len(clean) <= limit; {
		if n := longest(text[i:], secrets, partial); n > 0 {
			clean = append(clean, mark...)
			i += n
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		clean = utf8.AppendRune(clean, r)
		i += size
	}
	if len(clean) > limit {
		return clean[:boundary(clean, limit)], true
	}
	return clean, partial
}

// maxText is how much of a short text goes into an error, in bytes.
const maxText = 1024

// Text is Secrets for a short text that is there as a whole.
func Text(text string, secrets []string) string {
	clean, _ := Secrets([]byte(text), secrets, maxText, false)
	return string(clean)
}

// Reason gives a reason in brackets, to stand behind what it is the reason for, or "".
func Reason(text string, secrets func() []string) string {
	if text == "" {
		return ""
	}
	return " (" + Text(text, secrets()) + ")"
}

// longest gives the length of the longest secret that text starts with, or 0.
func longest(text []byte, secrets []string, partial bool) (n int) {
	for _, secret := range secrets {
		if secret == "" || !mayStart(text[0], secret[0]) {
			continue
		}
		for e := plain; e <= jsonEscaped; e++ {
			n = max(n, match(text, secret, e, partial))
		}
	}
	return n
}

// mayStart spares most positions the four readings.
func mayStart(c, first byte) bool {
	return c == first || c == '%' || c == '+' || c == '\\'
}

// match gives how many bytes of text, read in encoding e, spell secret, or 0.
func match(text []byte, secret string, e encoding, partial bool) int {
	at := 0
	for secret != "" {
		if at == len(text) {
			if partial {
				return at
			}
			return 0
		}
		spelled, size := e.next(text[at:])
		if len(spelled) > len(secret) || secret[:len(spelled)] != spelled {
			// An escape that the end of the text cut short may spell anything.
			if partial && at > 0 && len(text)-at < maxEscape && (text[at] == '%' || text[at] == '\\') {
				return len(text)
			}
			return 0
		}
		at += size
		secret = secret[len(spelled):]
	}
	return at
}

// boundary moves a cut at limit back to the start of a UTF-8 sequence.
func boundary(text []byte, limit int) int {
	at := limit
	for at > 0 && limit-at < 4 && text[at]&0xc0 == 0x80 {
		at--
	}
	return at
}
