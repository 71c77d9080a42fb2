package redact_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// The oracle searches naively: it compares each secret with the text at each byte, in each
// encoding. It takes the product of their lengths, but is easy to verify.

const (
	mark      = "[redacted]"
	shortMark = "[redacted: a secret is shorter than 8 bytes]"
	shortest  = 8
)

var encodings = []string{"plain", "percent", "JSON", "ISO-8859-1"}

// want returns what Search.Redact must return.
func want(text string, secrets []string, limit int, partial bool) (clean string, cut bool) {
	for partial && strings.HasSuffix(text, "\ufffd") { // to which a host decodes a cut character
		text = strings.TrimSuffix(text, "\ufffd")
	}
	hidden, marks := findAll(text, secrets, partial)
	var b strings.Builder
	for i := 0; i < len(text); {
		switch {
		case marks[i]:
			b.WriteString(mark)
			i++
		case hidden[i]:
			i++
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			b.WriteRune(r)
			i += size
		}
	}
	clean = b.String()
	if text != "" && slices.ContainsFunc(secrets, func(s string) bool { return s != "" && len(s) < shortest }) {
		clean = shortMark
	}
	if len(clean) <= limit {
		return clean, partial
	}
	for !utf8.RuneStart(clean[limit]) {
		limit--
	}
	return clean[:limit], true
}

// findAll returns which bytes of text belong to a secret, wherever it begins, and the position
// of the mark for each group of overlapping secrets.
func findAll(text string, secrets []string, partial bool) (hidden, marks []bool) {
	hidden, marks = make([]bool, len(text)), make([]bool, len(text))
	end := 0 // of what is hidden so far
	for i := range len(text) {
		n := 0
		for _, secret := range secrets {
			for _, encoding := range encodings {
				n = max(n, match(encoding, text[i:], secret, partial))
			}
		}
		marks[i] = n > 0 && i >= end
		end = max(end, i+n)
		hidden[i] = i < end
	}
	return hidden, marks
}

// match returns how many bytes of text, read in that encoding, spell the secret, or 0. In a
// partial text the secret may continue beyond the end, and an escape that the end may have cut
// can stand for anything.
func match(encoding, text, secret string, partial bool) int {
	at := 0
	for secret != "" {
		switch {
		case at == len(text) && partial:
			return at
		case at == len(text):
			return 0
		case partial && at > 0 && len(text)-at < len(`\ud83d\ude00`) && strings.IndexByte(`%\`, text[at]) >= 0:
			return len(text)
		case partial && at > 0 && encoding == "ISO-8859-1" && len(text)-at == 1 && (text[at] == 0xc2 || text[at] == 0xc3):
			return len(text)
		}
		spelled, size := next(encoding, text[at:], secret[0])
		n := min(len(spelled), len(secret))
		if spelled[:n] != secret[:n] {
			return 0
		}
		at += size
		secret = secret[n:]
	}
	return at
}

// next decodes one character of text, and returns its length in bytes. A plus is what is wanted of itself and a space.
func next(encoding, text string, want byte) (spelled string, size int) {
	switch {
	case encoding == "percent" && text[0] == '+' && want == ' ':
		return " ", 1
	case encoding == "percent" && text[0] == '%' && len(text) >= 3:
		if spelled, err := url.PathUnescape(text[:3]); err == nil {
			return spelled, 3
		}
	case encoding == "ISO-8859-1":
		if r, size := utf8.DecodeRuneInString(text); r >= 0x80 && r <= 0xff {
			return string([]byte{byte(r)}), size
		}
	case encoding == "JSON" && text[0] == '\\':
		for _, size := range []int{12, 6, 2} {
			var read string
			if len(text) >= size && (size < 12 || text[6] == '\\') &&
				json.Unmarshal([]byte(`"`+text[:size]+`"`), &read) == nil && utf8.RuneCountInString(read) == 1 {
				return read, size
			}
		}
	}
	return text[:1], 1
}
