package redact

import (
	"bytes"
	"unicode/utf8"

	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/json"
)

// encoding is a way to encode a secret, identified by the character that distinguishes it
// from the encodings before it.
type encoding byte

const (
	plain       encoding = 0
	percent     encoding = '%'  // RFC 3986 §2.1
	form        encoding = '+'  // the same with + for a space (WHATWG URL §5.1)
	jsonEscaped encoding = '\\' // RFC 8259 §7
	latin1      encoding = 0xc3 // UTF-8 that a host read as ISO-8859-1: each first byte becomes U+00C2 to U+00F4
)

var encodings = [...]encoding{plain, percent, form, jsonEscaped, latin1}

// maxEscape is the length of the longest escape, a surrogate pair in JSON.
const maxEscape = len(`\ud83d\ude00`)

// isEscape reports whether c distinguishes an encoding.
func isEscape(c byte) bool {
	return c == byte(percent) || c == byte(form) || c == byte(jsonEscaped) || c == byte(latin1)
}

// matters reports whether the text may read differently than in the encodings before.
func (e encoding) matters(text []byte) bool {
	return e == plain || bytes.IndexByte(text, byte(e)) >= 0
}

// next decodes the character that begins at byte at of the text. It takes size bytes, and
// decodes to the first count bytes of s.spelled. What is no escape decodes to itself.
func (s *search) next(e encoding, at int) (count, size int) {
	text := s.text[at:]
	c := text[0]
	size = 1
	switch {
	case c == '%' && (e == percent || e == form):
		if n, ok := ascii.Hex(text, 1, 2); ok {
			c, size = byte(n), 3
		}
	case c == '+' && e == form:
		c = ' '
	case c == '\\' && e == jsonEscaped:
		r, size := json.Unescape(text)
		return len(json.AppendRune(s.spelled[:0], r)), size
	case c|1 == byte(latin1) && e == latin1 && len(text) > 1 && !utf8.RuneStart(text[1]):
		c, size = c<<6|text[1]&0x3f, 2
	}
	s.spelled[0] = c
	return 1, size
}
