package json

import (
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/ascii"
)

// Unescape decodes the JSON escape sequence (RFC 8259 §7) at the beginning of text, and
// returns its character and its length in bytes. A backslash that begins none is returned
// as such, and a lone surrogate as that surrogate, which becomes U+FFFD when the rune is
// encoded.
func Unescape(text []byte) (r rune, size int) {
	if len(text) < 2 {
		return '\\', 1
	}
	switch c := text[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case '"', '\\', '/':
		return rune(c), 2
	case 'u':
		return unicode(text)
	}
	return '\\', 1
}

func unicode(text []byte) (r rune, size int) {
	n, ok := ascii.Hex(text, 2, 4)
	if !ok {
		return '\\', 1
	}
	if n>>10 == 0xd800>>10 && len(text) > 7 && text[6] == '\\' && text[7] == 'u' {
		if low, ok := ascii.Hex(text, 8, 4); ok && low>>10 == 0xdc00>>10 {
			return rune(0x10000 + (n-0xd800)<<10 + (low - 0xdc00)), 12
		}
	}
	return rune(n), 6
}

// WellFormed reports whether a JSON text is valid UTF-8 without an escaped lone surrogate,
// so that every string in it can be sent on. RFC 8259 §8 allows both, and clients handle
// them differently.
func WellFormed(b []byte) bool {
	for {
		b = b[skipPlain(b, 0):]
		if len(b) == 0 {
			return true
		}
		_, size, ok := next(b)
		if !ok {
			return false
		}
		b = b[size:]
	}
}

// next decodes the character or escape sequence at the beginning of text, and reports whether
// it is well-formed.
func next(text []byte) (r rune, size int, ok bool) {
	if text[0] == '\\' {
		r, size = Unescape(text)
		return r, size, utf8.ValidRune(r)
	}
	r, size = utf8.DecodeRune(text)
	return r, size, r != utf8.RuneError || size > 1
}
