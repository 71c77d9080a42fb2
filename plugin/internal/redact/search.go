package redact

import "unicode/utf8"

// Marks of a byte of the text.
const (
	first  = 1 << iota // a secret begins with it
	inner              // it belongs to a secret that begins before it
	opened             // only while an encoding is searched: the secret begins with it
)

// search marks where secrets are in a text.
//
// An encoding reads the text from any byte on, one character after the other: as a
// secret may begin anywhere, also inside of what is an escape from further left, so may
// a reading. Readings that meet go on as one. So the search goes through the text
// backwards: what it knows about the reading from a byte on follows from what it knows
// about where that reading's first character ends, and no byte is ever looked at again.
type search struct {
	text   []byte
	buffer []byte // for what a character stands for
	marks  []byte // of each byte of text
	tail   int    // where all that follows is taken out
	steps  int    // taken so far; tests hold them to be linear

	secret string
	// borders is the failure function of Knuth, Morris and Pratt for the secret read
	// backwards: how much of its end can still match where no more than that did. In
	// their strict form, which never offers a character that has just failed, it takes
	// only log(len(secret)) trials wherever a reading branches off.
	borders []int
	hashes  []uint64 // of the secret's beginnings, by their length, for a partial text
}

func newSearch(text []byte, secrets []string, partial bool) *search {
	s := &search{text: text, buffer: make([]byte, utf8.UTFMax), marks: make([]byte, len(text)), tail: len(text)}
	for _, secret := range secrets {
		switch {
		case secret == "":
		case len(secret) < shortest:
			s.tail = 0
		case len(secret) <= len(text):
			s.find(secret, partial)
		case partial: // not in the text, but its beginning may be
			s.find(secret[:len(text)+1], partial)
		}
	}
	return s
}

// find marks a secret.
func (s *search) find(secret string, partial bool) {
	s.secret = secret
	last := len(secret) - 1
	s.borders = make([]int, len(secret)+1)
	s.borders[0] = -1
	for n, border := 0, -1; n <= last; {
		border = s.match(border, secret[last-n])
		n++
		s.borders[n] = border
		if n <= last && secret[last-n] == secret[last-border] {
			s.borders[n] = s.borders[border]
		}
	}
	if partial {
		s.hashes = make([]uint64, len(secret))
		sum, power := uint64(0), uint64(1)
		for i := range s.hashes {
			s.hashes[i] = sum
			sum += uint64(secret[i]) * power
			power *= base
		}
	}
	for _, e := range encodings {
		if e.matters(s.text) {
			s.open(e, partial)
			s.close(e)
		}
	}
}

// base makes hashes out of bytes. Equal texts have equal hashes, so none is missed; a
// text that was made to have the hash of a secret's beginning is taken out for it.
const base = 0x9e3779b97f4a7c15

// reading is what is known about the text from a byte on, in one encoding.
type reading struct {
	matched int // how much of the secret's end it begins with, at most
	// The rest is for a partial text: how long the reading is up to where anything may
	// follow, and its hash.
	length int
	hash   uint64
}

// window is how many readings are kept: enough to look behind the longest escape.
const window = 16

// open finds where the secret begins in encoding e.
func (s *search) open(e encoding, partial bool) {
	var readings [window]reading
	end := len(s.text)
	if !partial {
		readings[end&(window-1)].length = len(s.secret) // too long for a mere beginning
	}
	for i := end - 1; i >= 0; i-- {
		spelled, size := e.next(s.text[i:], s.buffer)
		r := readings[(i+size)&(window-1)]
		for k := len(spelled) - 1; k >= 0; k-- {
			r.matched = s.match(r.matched, spelled[k])
			r.length++
			r.hash = r.hash*base + uint64(spelled[k])
		}
		if r.matched == len(s.secret) {
			s.marks[i] |= opened
		}
		if r.length < len(s.secret) && r.hash == s.hashes[r.length] {
			s.tail = min(s.tail, i)
		}
		// What looks like an escape near the end may be cut short, and mean anything.
		if c := s.text[i]; partial && i > end-maxEscape && (c == '%' || c == '\\') {
			r.length, r.hash = 0, 0
		}
		readings[i&(window-1)] = r
	}
}

// match gives how much of the secret's end is there with c before matched bytes of it.
func (s *search) match(matched int, c byte) int {
	last := len(s.secret) - 1
	for matched > last || matched >= 0 && s.secret[last-matched] != c {
		matched = s.borders[matched]
		s.steps++
	}
	s.steps++
	return matched + 1
}

// close marks the secret wherever it was found to begin. It goes through the text
// once: where readings meet, the one with more of the secret left counts for both.
func (s *search) close(e encoding) {
	var left [window]int // of the secret, by where its next character is
	for i := range s.text {
		rest := left[i&(window-1)]
		left[i&(window-1)] = 0
		if s.marks[i]&opened != 0 {
			s.marks[i] ^= opened
			s.marks[i] |= first
			rest = len(s.secret)
		}
		if rest == 0 {
			continue
		}
		spelled, size := e.next(s.text[i:], s.buffer)
		for k := 1; k < size; k++ {
			s.marks[i+k] |= inner
		}
		if rest -= len(spelled); rest > 0 {
			s.marks[i+size] |= inner
			left[(i+size)&(window-1)] = max(left[(i+size)&(window-1)], rest)
		}
	}
}
