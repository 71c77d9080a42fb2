// Package json reads and writes JSON. It has its own parser because the available ones turn every
// number into a float, whose tables alone would be a third of the plugin, and because WebAssembly
// interpreters are slow: it reads strings eight bytes at a time.
package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// maxDepth bounds nesting: the parser recurses, and the guest's stack is finite where a
// native one grows.
const maxDepth = 64

// Object calls f with every member of the object in b, in order, until f returns false. It
// reports whether b, which comes from outside, is exactly one valid JSON object (RFC 8259);
// f is not called otherwise. Names are unescaped, and may occur more than once.
func Object(b []byte, f func(name string, value Value) bool) bool {
	var names, values []Value
	at := skipSpace(b, 0)
	if !is(b, at, '{') {
		return false
	}
	at = skipNested(b, at, maxDepth-1, func(name, value Value) bool {
		names, values = append(names, name), append(values, value)
		return true
	})
	if skipSpace(b, at) != len(b) {
		return false
	}
	for i, name := range names {
		if !f(name.Text(), values[i]) {
			break
		}
	}
	return true
}

// Blank reports whether b is empty or JSON white space.
func Blank(b []byte) bool { return skipSpace(b, 0) == len(b) }

// The functions below return where what begins at at ends. If it is not valid, they return an
// offset beyond the end of b, which they also accept.

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r') {
		at++
	}
	return at
}

// is reports whether the byte at at is c.
func is(b []byte, at int, c byte) bool { return at < len(b) && b[at] == c }

// skipValue skips a value that nests no deeper than depth.
func skipValue(b []byte, at, depth int) int {
	if at >= len(b) {
		return len(b) + 1
	}
	switch b[at] {
	case '"':
		return skipString(b, at)
	case '{', '[':
		return skipNested(b, at, depth-1, nil)
	case 't':
		return skipWord(b, at, "true")
	case 'f':
		return skipWord(b, at, "false")
	case 'n':
		return skipWord(b, at, "null")
	}
	return skipNumber(b, at)
}

func skipWord(b []byte, at int, word string) int {
	if end := at + len(word); end <= len(b) && string(b[at:end]) == word {
		return end
	}
	return len(b) + 1
}

// skipNested skips an object or a list. It calls f, unless that is nil, with the names, if any, and
// values in it, until f returns false.
func skipNested(b []byte, at, depth int, f func(name, value Value) bool) int {
	isObject, closing := b[at] == '{', b[at]+2 // of { and of [
	at = skipSpace(b, at+1)
	if is(b, at, closing) && depth >= 0 {
		return at + 1
	}
	for depth >= 0 {
		var name Value
		if isObject {
			if !is(b, at, '"') {
				break
			}
			from := at
			at = skipString(b, at)
			name = b[from:min(at, len(b))]
			if at = skipSpace(b, at); !is(b, at, ':') {
				break
			}
			at = skipSpace(b, at+1)
		}
		from := at
		at = skipValue(b, at, depth)
		if at > len(b) || f != nil && !f(name, b[from:at]) {
			break
		}
		at = skipSpace(b, at)
		if is(b, at, closing) {
			return at + 1
		}
		if !is(b, at, ',') {
			break
		}
		at = skipSpace(b, at+1)
	}
	return len(b) + 1
}

func skipString(b []byte, at int) int {
	at++
	for {
		at = skipPlain(b, at)
		switch {
		case at >= len(b) || b[at] < ' ':
			return len(b) + 1
		case b[at] == '"':
			return at + 1
		case b[at] == '\\' && is(b, at+1, '"'): // most escapes
			at += 2
		case b[at] == '\\':
			_, size := Unescape(b[at:])
			if size == 1 { // it begins no escape
				return len(b) + 1
			}
			at += size
		default:
			at++
		}
	}
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

func skipNumber(b []byte, at int) int {
	if is(b, at, '-') {
		at++
	}
	if is(b, at, '0') {
		at++
	} else {
		at = skipDigits(b, at)
	}
	if is(b, at, '.') {
		at = skipDigits(b, at+1)
	}
	if is(b, at, 'e') || is(b, at, 'E') {
		if at++; is(b, at, '+') || is(b, at, '-') {
			at++
		}
		at = skipDigits(b, at)
	}
	return at
}

// skipDigits skips one digit or more.
func skipDigits(b []byte, at int) int {
	from := at
	for at < len(b) && '0' <= b[at] && b[at] <= '9' {
		at++
	}
	if at == from {
		return len(b) + 1
	}
	return at
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
