package redact

import (
	"encoding/binary"
	"unicode/utf8"
)

// Marks of a byte of the text.
const (
	first = 1 << iota // a secret begins here
	inner             // a secret that begins further left continues here
	found             // the secret that is being searched for begins here
)

// search finds secrets in a text, and marks the bytes that they occupy.
//
// In each encoding a reading of the text may begin at any byte, even in the middle of an
// escape of another reading, and readings that reach the same byte continue as one. So the
// search runs backwards: the state of the reading that begins at a byte follows from its
// first character and from the reading that begins after that. No reading is ever
// compared with the secret from its start.
//
// That takes hundreds of operators for each byte in an interpreter of WebAssembly. So suspect looks
// for the first byte at which a secret may begin at all, and the search ends there.
type search struct {
	text    []byte
	from    int // nothing begins before it
	secret  string
	borders []int // see prepare
	spelled [utf8.UTFMax]byte
	marks   []byte // for each byte of the text, or nil if no secret may begin in it
	tail    int    // nothing is shown from here on
	steps   int    // the number of comparisons, for the tests
}

func newSearch(text []byte, secrets []string, partial bool) *search {
	s := &search{text: text, tail: len(text)}
	for _, secret := range secrets {
		switch {
		case secret == "" || len(text) == 0:
		case len(secret) < shortest:
			s.tail = 0
		case partial || len(secret) <= len(text):
			s.find(secret[:min(len(secret), len(text))], partial)
		}
	}
	return s
}

// mark returns the marks of a byte.
func (s *search) mark(at int) byte {
	if s.marks == nil {
		return 0
	}
	return s.marks[at]
}

// plain returns the end of the ASCII from byte at on that is not marked, at most.
func (s *search) plain(at, most int) int {
	for s.marks == nil && at+8 <= most && binary.LittleEndian.Uint64(s.text[at:])&0x8080808080808080 == 0 {
		at += 8
	}
	for at < most && s.text[at] < utf8.RuneSelf && s.mark(at) == 0 {
		at++
	}
	return at
}

// suspect returns the offset of the first byte at which the secret may begin, in any encoding,
// or the length of the text.
func (s *search) suspect(secret string, partial bool) int {
	var begins [256]bool // by first bytes: one look at each byte of the text
	begins[secret[0]] = true
	for _, e := range encodings {
		begins[e] = true
	}
	for i, c := range s.text {
		if begins[c] && s.mayBegin(i, secret, partial) {
			return i
		}
	}
	return len(s.text)
}

// mayBegin reports whether what begins at byte at resembles the secret's first bytes, or has an
// escape in their place that may stand for one of them.
func (s *search) mayBegin(at int, secret string, partial bool) bool {
	for n := range min(len(secret), shortest) {
		if at == len(s.text) {
			return partial
		}
		c := s.text[at]
		if isEscape(c) {
			return c == secret[n] || s.mayStandFor(at, secret[n]) || partial && at > len(s.text)-maxEscape
		}
		if c != secret[n] {
			return false
		}
		at++
	}
	return true
}

// mayStandFor reports whether an escape at byte at decodes to what begins with c.
func (s *search) mayStandFor(at int, c byte) bool {
	for _, e := range encodings {
		if s.next(e, at); s.spelled[0] == c {
			return true
		}
	}
	return false
}

// find marks one secret.
func (s *search) find(secret string, partial bool) {
	if s.from = s.suspect(secret, partial); s.from == len(s.text) {
		return
	}
	if s.marks == nil {
		s.marks = make([]byte, len(s.text))
	}
	s.prepare(secret)
	for _, e := range encodings {
		if e.matters(s.text[s.from:]) {
			s.findStarts(e, partial)
			s.markFound(e)
		}
	}
}

// prepare computes the failure function of Knuth, Morris and Pratt for the reversed secret:
// how much of its end may still match if a longer part of its end does not continue. It is
// their strict version, which skips what would fail on the same byte. That bounds the steps
// for a single byte by the logarithm of the secret's length, which is needed because many
// readings may continue backwards from one byte.
func (s *search) prepare(secret string) {
	s.secret = secret
	s.borders = make([]int, len(secret)+1)
	s.borders[0] = -1
	last := len(secret) - 1
	for n, border := 0, -1; n <= last; {
		border = s.extend(border, secret[last-n])
		n++
		s.borders[n] = border
		if n <= last && secret[last-n] == secret[last-border] {
			s.borders[n] = s.borders[border]
		}
	}
}

// extend returns how much of the secret's end a reading begins with, if it begins with c
// and then with that many bytes of the secret's end.
func (s *search) extend(matched int, c byte) int {
	last := len(s.secret) - 1
	for matched > last || matched >= 0 && s.secret[last-matched] != c {
		matched = s.borders[matched]
		s.steps++
	}
	s.steps++
	return matched + 1
}

// reading is the state of the reading that begins at some byte.
type reading struct {
	matched int // how much of the secret's end it begins with, at most

	// In a partial text: how many bytes it spells until the text may be cut, their hash,
	// and the hash of as many bytes of the secret's beginning. Equal hashes count as equal
	// bytes. That cannot miss a secret; at worst, text that was made to collide is hidden.
	length               int
	hash, wanted, factor uint64
}

const (
	base   = 0x9e3779b97f4a7c15 // of the hashes
	window = 16                 // readings kept: a power of 2 above maxEscape
)

// findStarts finds where the secret begins in encoding e, and in a partial text where
// the rest of the text may be the beginning of it.
func (s *search) findStarts(e encoding, partial bool) {
	var readings [window]reading
	end := len(s.text)
	readings[end&(window-1)].factor = 1
	if !partial {
		readings[end&(window-1)].length = len(s.secret) // which is too long for a beginning
	}
	for i := end - 1; i >= s.from; i-- {
		count, size := s.next(e, i)
		r := readings[(i+size)&(window-1)]
		for count--; count >= 0; count-- {
			c := s.spelled[count]
			r.matched = s.extend(r.matched, c)
			if r.length < len(s.secret) {
				r.hash = r.hash*base + uint64(c)
				r.wanted += r.factor * uint64(s.secret[r.length])
				r.factor *= base
				r.length++
			}
		}
		if r.matched == len(s.secret) {
			s.marks[i] |= found
		}
		if r.length < len(s.secret) && r.hash == r.wanted {
			s.tail = min(s.tail, i)
		}
		// An escape that the end of the text may have cut short can stand for anything.
		if c := s.text[i]; partial && i > end-maxEscape && (c == '%' || c == '\\') {
			r = reading{factor: 1}
		}
		readings[i&(window-1)] = r
	}
}

// markFound marks the bytes of the secret wherever findStarts found it. Where readings
// meet, only the one that has more of the secret before it needs to be followed.
func (s *search) markFound(e encoding) {
	var left [window]int // how much of the secret follows from a byte on
	for i := s.from; i < len(s.text); i++ {
		rest := left[i&(window-1)]
		left[i&(window-1)] = 0
		if s.marks[i]&found != 0 {
			s.marks[i] ^= found
			s.marks[i] |= first
			rest = len(s.secret)
		}
		if rest == 0 {
			continue
		}
		count, size := s.next(e, i)
		for k := 1; k < size; k++ {
			s.marks[i+k] |= inner
		}
		if rest > count {
			behind := i + size
			s.marks[behind] |= inner
			left[behind&(window-1)] = max(left[behind&(window-1)], rest-count)
		}
	}
}
