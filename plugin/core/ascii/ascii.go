// Package ascii classifies the characters of headers, URLs and config values.
package ascii

import (
	"encoding/binary"
	"strings"
)

// Visible reports whether c is a visible ASCII character (RFC 5234, VCHAR): no space, no
// control character, nothing above 7 bits.
func Visible(c byte) bool { return c > ' ' && c < 0x7f }

// Alphanumeric reports whether c is a letter or a digit.
func Alphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

// AllVisible reports whether s consists of visible ASCII characters and is not empty.
func AllVisible(s string) bool {
	b := []byte(s)
	for ; len(b) >= 8; b = b[8:] { // an access token may be long
		const each, highest = 0x0101010101010101, 0x8080808080808080
		if word := binary.LittleEndian.Uint64(b); (word|(word-'!'*each)|(word+each))&highest != 0 {
			return false
		}
	}
	return s != "" && visible(s[len(s)-len(b):], "")
}

// Phrase reports whether s is visible ASCII with spaces only inside: what every HTTP client
// sends unchanged as a header's value (RFC 9110 §5.5).
func Phrase(s string) bool {
	return Spaced(s) && s[0] != ' ' && s[len(s)-1] != ' '
}

// Spaced reports whether s consists of visible ASCII and spaces and is not empty.
func Spaced(s string) bool {
	return s != "" && visible(s, " ")
}

// FieldValue reports whether s can be a header's value: visible ASCII, spaces and
// tabs, or nothing.
func FieldValue(s string) bool { return visible(s, " \t") }

func visible(s, more string) bool {
	for i := 0; i < len(s); i++ {
		if !Visible(s[i]) && strings.IndexByte(more, s[i]) < 0 {
			return false
		}
	}
	return true
}

// Token reports whether s can be a header's name (RFC 9110 §5.6.2).
func Token(s string) bool { return Consists(s, "!#$%&'*+-.^_`|~") }

// Consists reports whether s consists of letters, digits and the characters in more, and is not
// empty.
func Consists(s, more string) bool {
	for i := 0; i < len(s); i++ {
		if !Alphanumeric(s[i]) && strings.IndexByte(more, s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// HasControl reports whether s contains an ASCII control character.
func HasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// Digits parses s, which must consist of decimal digits. Numbers above limit, however long,
// become limit.
func Digits(s string, limit int64) (n int64, ok bool) {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		if n < limit {
			n = n*10 + int64(s[i]-'0')
		}
	}
	return min(n, limit), s != ""
}

// AppendInt appends a number in decimal digits; strconv's tables would add a kilobyte to the
// plugin.
func AppendInt(dst []byte, n int64) []byte {
	if n < 0 {
		return AppendInt(append(dst, '-'), -n)
	}
	if n >= 10 {
		dst = AppendInt(dst, n/10)
	}
	return append(dst, byte('0'+n%10))
}

// Int returns a number in decimal digits.
func Int(n int64) string { return string(AppendInt(nil, n)) }

// Cut is strings.Cut, which would add half a kilobyte.
func Cut(s, separator string) (before, after string, found bool) {
	for i := 0; i+len(separator) <= len(s); i++ {
		if s[i:i+len(separator)] == separator {
			return s[:i], s[i+len(separator):], true
		}
	}
	return s, "", false
}

// Word returns the index of a word in words, which are separated by spaces, or -1. A list of
// strings would take three times the room.
func Word(words, word string) int {
	one := ""
	for i, more := 0, word != ""; more; i++ {
		if one, words, more = Cut(words, " "); one == word {
			return i
		}
	}
	return -1
}

// Lower returns s with A to Z in lower case, without Unicode's tables.
func Lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// Hex parses count hexadecimal digits of text, beginning at at.
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

// PercentDecode decodes a path or a query once (RFC 3986 §2.1), and reports whether it has only what RFC 3986
// allows there (§3.3 and §3.4): clients handle anything else differently, up to a trap
// after the secret was sent.
func PercentDecode(text string) (decoded []byte, ok bool) {
	b := []byte(text)
	decoded = b[:0]
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '%' {
			n, ok := Hex(b, i+1, 2)
			if !ok {
				return nil, false
			}
			c = byte(n)
			i += 2
		} else if !Alphanumeric(c) && strings.IndexByte("-._~!$&'()*+,;=:@/?", c) < 0 {
			return nil, false
		}
		decoded = append(decoded, c)
	}
	return decoded, true
}
