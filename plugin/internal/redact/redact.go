// Package redact takes secrets out of text that others sent, before it goes into
// an error.
package redact

import (
	"bytes"
	"unicode/utf8"
)

const mark = "[redacted]"

// shortest is how long a secret must be to be searched for. A shorter one occurs by
// chance, and what is left around the marks would give it away.
const shortest = 8

// Secrets returns text without any of the secrets and with U+FFFD for invalid UTF-8,
// cut at limit bytes, and whether it was cut. A secret is found as it is, percent-encoded,
// form-encoded and JSON-escaped; a mark stands for each one, or for several that overlap.
// Where a secret has fewer than 8 bytes, one mark stands for the whole text. partial says
// that text is itself the start of something longer: a secret that may go on beyond its
// end is then taken out as well.
//
// The cut never splits a UTF-8 sequence. Time and memory are linear in the text and in the
// secrets, whatever they hold.
func Secrets(text []byte, secrets []string, limit int, partial bool) (clean []byte, cut bool) {
	if partial {
		text = wholeCharacters(text)
	}
	s := newSearch(text, secrets, partial)
	clean = make([]byte, 0, min(len(text)*len("\ufffd"), limit)+len(mark))
	for i := 0; i < len(text) && len(clean) <= limit; {
		hidden := s.marks[i]
		if hidden == 0 && i < s.tail {
			r, size := utf8.DecodeRune(text[i:])
			clean = utf8.AppendRune(clean, r)
			i += size
			continue
		}
		if hidden < inner {
			clean = append(clean, mark...)
		}
		if i >= s.tail {
			break
		}
		i++
	}
	if len(clean) > limit {
		for !utf8.RuneStart(clean[limit]) {
			limit--
		}
		return clean[:limit], true
	}
	return clean, partial
}

// wholeCharacters returns text without what a host decoded the rest of a cut character to:
// a secret that was cut there does not match it.
func wholeCharacters(text []byte) []byte {
	for bytes.HasSuffix(text, []byte("\ufffd")) {
		text = text[:len(text)-len("\ufffd")]
	}
	return text
}

// maxText is how much of a short text goes into an error, in bytes.
const maxText = 1024

// Text is Secrets for a short text that is there as a whole.
func Text(text string, secrets []string) string {
	clean, _ := Secrets([]byte(text), secrets, maxText, false)
	return string(clean)
}

// Reason returns a reason in brackets, to stand behind what it is the reason for, or "".
func Reason(text string, secrets func() []string) string {
	if text == "" {
		return ""
	}
	return " (" + Text(text, secrets()) + ")"
}
