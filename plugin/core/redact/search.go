package redact

import (
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// A Search finds secrets in the texts of a call, one after the other. It compares each secret with the text at each byte, in each
// encoding, which takes long only where a text almost repeats a secret that almost repeats itself.
type Search struct {
	text    []byte
	secrets []string
	partial bool
	short   bool      // whether a secret is so short that it hides any text
	begins  [256]bool // whether a secret may begin with a byte, in any encoding; so may it with any that is not ASCII
	spelled [utf8.UTFMax]byte
	steps   int // the number of comparisons so far, in all texts
}

// maxSteps bounds the time of a search: what then remains of its texts counts as secret. A hundred headers and a body
// that are percent-encoded throughout take half of it.
const maxSteps = 1 << 16

// An encoding is identified by the character of its escapes.
type encoding byte

const (
	plain       encoding = 0
	percent     encoding = '%'  // RFC 3986 §2.1, or with + for a space (WHATWG URL §5.1)
	jsonEscaped encoding = '\\' // RFC 8259 §7
	latin1      encoding = 0xc3 // UTF-8 that a host read as ISO-8859-1: each byte becomes a character of two
)

// encodings are all of them.
const encodings = "\x00%\\\xc3"

// maxEscape is the length of the longest escape, a surrogate pair in JSON.
const maxEscape = len(`\ud83d\ude00`)

// isLatin1Lead reports whether a character that is one byte in ISO-8859-1 begins with c in UTF-8.
func isLatin1Lead(c byte) bool { return c == 0xc2 || c == 0xc3 }

// escapes reports whether the first escape of a string in this encoding may begin with c: in latin1, the
// first byte of a character becomes U+00C2 to U+00F4.
func (e encoding) escapes(c byte) bool {
	return c == byte(e) || e == percent && c == '+'
}

// isEscape reports whether one in any encoding may.
func isEscape(c byte) bool {
	return c == byte(percent) || c == '+' || c == byte(jsonEscaped) || isLatin1Lead(c)
}

// NewSearch returns a search for secrets, of which empty ones are ignored. A call has one for all its texts.
func NewSearch(secrets []string) *Search {
	s := &Search{}
	s.begins[percent], s.begins['+'], s.begins[jsonEscaped] = true, true, true
	for c := utf8.RuneSelf; c < len(s.begins); c++ {
		s.begins[c] = true
	}
	for _, secret := range secrets {
		if secret != "" {
			s.secrets = append(s.secrets, secret)
			s.begins[secret[0]] = true
			s.short = s.short || len(secret) < shortest
		}
	}
	return s
}

// skip returns the offset of the first byte from at on with which a secret may begin, or end.
func (s *Search) skip(at, end int) int {
	begins := &s.begins
	for i, c := range s.text[at:end] {
		if begins[c] {
			return at + i
		}
	}
	return end
}

// Clean reports whether JSON has neither a secret nor an escape, which may spell a part of one.
func (s *Search) Clean(json []byte) bool {
	s.text, s.partial = json, false
	for at := s.skip(0, len(json)); at < len(json); at = s.skip(at+1, len(json)) {
		if json[at] == '\\' || s.match(at) > 0 {
			return false
		}
	}
	return !s.short
}

// match returns where the longest secret that begins at byte at ends, or 0.
func (s *Search) match(at int) (end int) {
	if s.steps >= maxSteps {
		return len(s.text)
	}
	for _, secret := range s.secrets {
		same := 0 // in all encodings
		for same < len(secret) && at+same < len(s.text) && s.text[at+same] == secret[same] && !isEscape(secret[same]) {
			same++
		}
		s.steps += same
		literal := same == len(secret) || at+same == len(s.text) || s.text[at+same] == secret[same]
		if !literal && !isEscape(s.text[at+same]) {
			continue
		}
		for i := range len(encodings) { // an array would be copied
			if e := encoding(encodings[i]); literal || e.escapes(s.text[at+same]) {
				end = max(end, s.read(e, at+same, secret[same:], same > 0))
			}
		}
	}
	return end
}

// read returns where the text from byte at on has spelled the rest of a secret, or 0. In a partial text
// the secret may continue beyond the end, and a further escape that the end may have cut can stand
// for anything.
func (s *Search) read(e encoding, at int, rest string, further bool) int {
	for ; rest != ""; further = true {
		if at == len(s.text) {
			if s.partial {
				return at
			}
			return 0
		}
		s.steps++
		c := s.text[at]
		if !isEscape(c) { // it spells itself in each encoding
			if c != rest[0] {
				return 0
			}
			at, rest = at+1, rest[1:]
			continue
		}
		if s.partial && further && e.cut(s.text[at:]) {
			return len(s.text)
		}
		count, size := s.next(e, at, rest[0])
		count = min(count, len(rest))
		for i, spelled := range s.spelled[:count] {
			if spelled != rest[i] {
				return 0
			}
		}
		at, rest = at+size, rest[count:]
	}
	return at
}

// cut reports whether the end of a text may have cut the escape, in any encoding, that it begins with.
// Two bytes of a character that was read as ISO-8859-1 stand for one, which no other encoding has.
func (e encoding) cut(text []byte) bool {
	if isLatin1Lead(text[0]) {
		return e == latin1 && len(text) == 1
	}
	return text[0] != '+' && len(text) < maxEscape
}

// next decodes the escape that begins at byte at of the text. It takes size bytes, and decodes to the
// first count bytes of s.spelled. What is no escape in this encoding decodes to itself, and a plus to a space
// if that is wanted.
func (s *Search) next(e encoding, at int, want byte) (count, size int) {
	text := s.text[at:]
	c := text[0]
	size = 1
	switch {
	case c == '%' && e == percent:
		if n, ok := ascii.Hex(text, 1, 2); ok {
			c, size = byte(n), 3
		}
	case c == '+' && e == percent && want == ' ':
		c = ' '
	case c == '\\' && e == jsonEscaped:
		r, size := json.Unescape(text)
		return len(utf8.AppendRune(s.spelled[:0], r)), size
	case isLatin1Lead(c) && e == latin1:
		if r, length := utf8.DecodeRune(text); length == 2 {
			c, size = byte(r), length
		}
	}
	s.spelled[0] = c
	return 1, size
}
