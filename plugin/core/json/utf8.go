package json

import (
	"math/bits"
	"unicode/utf8"
)

// AppendRune and DecodeRune do what those of unicode/utf8 do, in a quarter of the bytes.

// AppendRune appends a character as UTF-8, or U+FFFD if it is not a valid one.
func AppendRune(dst []byte, r rune) []byte {
	if !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	if r < utf8.RuneSelf {
		return append(dst, byte(r))
	}
	more := 1 // bytes after the first, with 6 bits each
	for r >= leastRune(more+2) {
		more++
	}
	dst = append(dst, byte(int(0x780)>>more)|byte(r>>(6*more)))
	for more--; more >= 0; more-- {
		dst = append(dst, 0x80|byte(r>>(6*more))&0x3f)
	}
	return dst
}

// leastRune returns the first character that takes so many bytes: 3 or 4.
func leastRune(size int) rune { return 1 << (5*size - 4) }

// DecodeRune returns the first character of a text, which is not empty, and its length. Invalid UTF-8
// is U+FFFD, and 1.
func DecodeRune(text []byte) (r rune, size int) {
	r = rune(text[0])
	if r < utf8.RuneSelf {
		return r, 1
	}
	size = bits.LeadingZeros8(^text[0])
	if size < 2 || size > min(len(text), utf8.UTFMax) {
		return utf8.RuneError, 1
	}
	r &= 0x7f >> size
	for _, c := range text[1:size] {
		if utf8.RuneStart(c) {
			return utf8.RuneError, 1
		}
		r = r<<6 | rune(c&0x3f)
	}
	if r < max(leastRune(size), utf8.RuneSelf) || !utf8.ValidRune(r) {
		return utf8.RuneError, 1
	}
	return r, size
}
