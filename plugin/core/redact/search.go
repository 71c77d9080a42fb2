package redact

import (
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// A Search finds secrets in texts, one after the other. It compares each secret with the text at each byte, in each
// encoding, which takes long only where a text almost repeats a secret that almost repeats itself.
type Search struct {
	text    []byte
	secrets []string
	partial bool
	short   bool      // whether a secret is so short that it hides any text
	begins  [256]bool // whether a secret may begin with a byte, in any encoding; so may it with any that is not ASCII
	spelled [utf8.UTFMax]byte
	steps   int // the number of comparisons in the text
}

// maxSteps bounds the time: what then remains of the text counts as secret.
const maxSteps = 1 << 18

// An encoding is identified by the character of its escapes.
type encoding byte

const (
	plain       encoding = 0
	percent     encoding = '%'  // RFC 3986 §2.1
	form        encoding = '+'  // the same with + for a space (WHATWG URL §5.1)
	jsonEscaped encoding = '\\' // RFC 8259 §7
	latin1      encoding = 0xc3 // UTF-8 that a host read as ISO-8859-1: each first byte becomes U+00C2 to U+00F4
)

// maxEscape is the length of the longest escape, a surrogate pair in JSON.
const maxEscape = len(`\ud83d\ude00`)

// escapes reports whether the first escape of a string in this encoding may begin with c.
func (e encoding) escapes(c byte) bool {
	return c == byte(e) || e == form && c == byte(percent)
}

// isEscape reports whether one in any encoding may.
func isEscape(c byte) bool {
	return c == byte(percent) || c == byte(form) || c == byte(jsonEscaped) || c|1 == byte(latin1)
}

// NewSearch returns a search for secrets, of which empty ones are ignored.
func NewSearch(secrets []string) *Search {
	s := &Search{}
	s.begins[percent], s.begins[form], s.begins[jsonEscaped] = true, true, true
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

// begin begins a search in a text.
func (s *Search) begin(text []byte, partial bool) {
	s.text, s.partial, s.steps = text, partial, 0
	if s.short { // it begins and ends with the text
		s.steps = maxSteps
	}
}

// skip returns the offset of the first byte from at on with which a secret may begin, or end.
func (s *Search) skip(at, end int) int {
	if s.short {
		return at
	}
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
	s.begin(json, false)
	for at := s.skip(0, len(json)); at < len(json); at = s.skip(at+1, len(json)) {
		if json[at] == '\\' || s.match(at) > 0 {
			return false
		}
	}
	return true
}

// match returns where the longest secret that begins at byte at ends, or 0.
func (s *Search) match(at int) (end int) {
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
		for _, e := range [...]encoding{plain, percent, form, jsonEscaped, latin1} {
			if literal || e.escapes(s.text[at+same]) {
				end = max(end, s.read(e, at+same, secret[same:], same > 0))
			}
		}
	}
	if s.steps >= maxSteps {
		return len(s.text)
	}
	return end
}

// read returns where the text from byte at on has spelled the rest of a secret, or 0. In a partial text
// the secret may continue beyond the end, and a further escape that the end may have cut can stand
// for anything.
func (s *Search) read(e encoding, at int, rest string, further bool) int {
	for rest != "" {
		switch {
		case at == len(s.text) && s.partial:
			return at
		case at == len(s.text):
			return 0
		case s.partial && further && at > len(s.text)-maxEscape && (s.text[at] == '%' || s.text[at] == '\\'):
			return len(s.text)
		}
		count, size := s.next(e, at)
		count = min(count, len(rest))
		s.steps++
		if string(s.spelled[:count]) != rest[:count] {
			return 0
		}
		at, rest, further = at+size, rest[count:], true
	}
	return at
}

// next decodes the character that begins at byte at of the text. It takes size bytes, and
// decodes to the first count bytes of s.spelled. What is no escape decodes to itself.
func (s *Search) next(e encoding, at int) (count, size int) {
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
		return len(utf8.AppendRune(s.spelled[:0], r)), size
	case c|1 == byte(latin1) && e == latin1 && len(text) > 1 && !utf8.RuneStart(text[1]):
		c, size = c<<6|text[1]&0x3f, 2
	}
	s.spelled[0] = c
	return 1, size
}
