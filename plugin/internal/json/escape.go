package json

import "unicode/utf8"

// Unescape reads the escape sequence of a JSON string (RFC 8259 §7) that text
// begins with: what it stands for, and how many bytes it takes. A backslash that
// begins none stands for itself, and half a surrogate pair for U+FFFD.
func Unescape(text []byte) (spelled string, size int) {
	if len(text) < 2 {
		return "\\", 1
	}
	switch c := text[1]; c {
	case 'b':
		return "\b", 2
	case 'f':
		return "\f", 2
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case '"', '\\', '/':
		return string(text[1:2]), 2
	case 'u':
		return unicode(text)
	}
	return "\\", 1
}

func unicode(text []byte) (spelled string, size int) {
	r, ok := Hex(text, 2, 4)
	if !ok {
		return "\\", 1
	}
	size = 6
	if r>>10 == 0xd800>>10 && len(text) > 7 && text[6] == '\\' && text[7] == 'u' {
		if low, ok := Hex(text, 8, 4); ok && low>>10 == 0xdc00>>10 {
			r, size = 0x10000+(r-0xd800)<<10+(low-0xdc00), 12
		}
	}
	return string(utf8.AppendRune(nil, rune(r))), size
}

// Hex reads count hexadecimal digits of text from at on.
func Hex(text []byte, at, count int) (n int, ok bool) {
	if len(text) < at+count {
		return 0, false
	}
	for _, c := range text[at : at+count] {
		n <<= 4
		switch {
		case '0' <= c && c <= '9':
			n += int(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n += int(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return n, true
}
