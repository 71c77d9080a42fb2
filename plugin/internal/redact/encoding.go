package redact

import (
	"bytes"
	"unicode/utf8"

	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/json"
)

// encoding is a way in which a secret may be written, named by the one character that
// sets it apart.
type encoding byte

const (
	plain       encoding = 0
	percent     encoding = '%'  // RFC 3986 §2.1
	form        encoding = '+'  // the same with + for a space (WHATWG URL §5.1)
	jsonEscaped encoding = '\\' // RFC 8259 §7
)

var encodings = [...]encoding{plain, percent, form, jsonEscaped}

// maxEscape is the length of the longest escape, a surrogate pair in JSON.
const maxEscape = len(`\ud83d\ude00`)

// matters reports whether text can read differently than in the encodings before.
func (e encoding) matters(text []byte) bool {
	return e == plain || bytes.IndexByte(text, byte(e)) >= 0
}

// next reads one character of text, which is not empty: what it stands for, written
// over buffer, and how many bytes it takes. What is no escape stands for itself.
func (e encoding) next(text, buffer []byte) (spelled []byte, size int) {
	c := text[0]
	switch {
	case c == '%' && (e == percent || e == form):
		if n, ok := ascii.Hex(text, 1, 2); ok {
			return append(buffer[:0], byte(n)), 3
		}
	case c == '+' && e == form:
		c = ' '
	case c == '\\' && e == jsonEscaped:
		r, size := json.Unescape(text)
		return utf8.AppendRune(buffer[:0], r), size
	}
	return append(buffer[:0], c), 1
}
