// Package json reads and writes JSON. gjson validates what comes from outside. Its values turn every
// number into a float, whose tables alone would be a third of the plugin, so values are read here: eight
// bytes of a string at a time, because WebAssembly interpreters are slow.
package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxDepth bounds nesting: gjson's validator recurses, and the guest's stack is finite where a
// native one grows.
const maxDepth = 64

// Object calls f with every member of the object in b, in order, until f returns false. It
// reports whether b, which comes from outside, is exactly one valid JSON object (RFC 8259);
// f is not called otherwise. Names are unescaped, and may occur more than once.
func Object(b []byte, f func(name string, value Value) bool) bool {
	return !deep(b) && gjson.ValidBytes(b) && Value(b).Each(f)
}

// deep reports whether b nests deeper than maxDepth.
func deep(b []byte) bool {
	depth := 0
	for at := 0; at < len(b); at++ {
		switch b[at] {
		case '"':
			at = skipString(b, at) - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// Blank reports whether b is empty or JSON white space.
func Blank(b []byte) bool { return skipSpace(b, 0) == len(b) }

// The functions below return where what begins at at ends. They expect valid text, and end at its end
// if it is not.

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r') {
		at++
	}
	return at
}

// is reports whether the byte at at is c.
func is(b []byte, at int, c byte) bool { return at < len(b) && b[at] == c }

func skipValue(b []byte, at int) int {
	for depth := 0; at < len(b); at++ {
		switch b[at] {
		case '"':
			if at = skipString(b, at) - 1; depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			switch depth--; depth {
			case -1:
				return at // where the object or list ends that has the value
			case 0:
				return at + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

// each calls f with the names, if any, and values of the object or list that begins at at, until f
// returns false.
func each(b []byte, at int, f func(name, value Value) bool) {
	isObject := b[at] == '{'
	at = skipSpace(b, at+1)
	for at < len(b) && b[at] != '}' && b[at] != ']' {
		var name Value
		if isObject {
			from := at
			at = skipString(b, at)
			name = b[from:at]
			at = skipSpace(b, min(skipSpace(b, at)+1, len(b))) // a colon
		}
		from := at
		at = skipValue(b, at)
		if !f(name, b[from:at]) {
			return
		}
		if at = skipSpace(b, at); is(b, at, ',') {
			at = skipSpace(b, at+1)
		}
	}
}

func skipString(b []byte, at int) int {
	for at = skipPlain(b, at+1); at < len(b) && b[at] != '"'; at = skipPlain(b, at) {
		if at++; b[at-1] == '\\' {
			at++
		}
	}
	return min(at+1, len(b))
}

// skipPlain returns the offset of the first quote, backslash, control character or byte above 7
// bits, or the length of b. It looks at eight bytes at a time.
func skipPlain(b []byte, at int) int {
	for ; at+8 <= len(b); at += 8 {
		if found := special(binary.LittleEndian.Uint64(b[at:])); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(b) && b[at] >= ' ' && b[at] != '"' && b[at] != '\\' && b[at] < utf8.RuneSelf {
		at++
	}
	return at
}

// special sets the highest bit of the first byte at which skipPlain stops: there, a subtraction borrows
// from it if the byte is below ' ', or equal to a quote or a backslash.
func special(word uint64) uint64 {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	return (word | (word - ' '*each) | (word ^ '"'*each - each) | (word ^ '\\'*each - each)) & highest
}

// AppendString appends a string as JSON, with U+FFFD for invalid UTF-8.
func AppendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for at := 0; ; {
		end := skipPlain(text, at)
		dst = append(dst, text[at:end]...)
		if end == len(text) {
			return append(dst, '"')
		}
		c := text[end]
		at = end + 1
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[end:])
			dst = utf8.AppendRune(dst, r)
			at = end + size
		case c < ' ':
			const digits = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, '\\', c)
		}
	}
}
