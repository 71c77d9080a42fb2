package redact

import (
	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/json"
)

// encoding is a way in which a secret may be written.
type encoding int

const (
	plain       encoding = iota
	percent              // RFC 3986 §2.1
	form                 // the same with + for a space (WHATWG URL §5.1)
	jsonEscaped          // RFC 8259 §7
)

// maxEscape is the length of the longest escape, a surrogate pair in JSON.
const maxEscape = len(`\ud83d\ude00`)

// next reads one character of text, which is not empty: what it stands for, and
// how many bytes it takes. What is no escape stands for itself.
func (e encoding) next(text []byte) (spelled string, size int) {
	c := text[0]
	switch {
	case c == '%' && (e == percent || e == form):
		if n, ok := ascii.Hex(text, 1, 2); ok {
			return string([]byte{byte(n)}), 3
		}
	case c == '+' && e == form:
		return " ", 1
	case c == '\\' && e == jsonEscaped:
		r, size := json.Unescape(text)
		return string(r), size
	}
	return string(text[:1]), 1
}
