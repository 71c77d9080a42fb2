// Package redact removes secrets from strings from outside, before they go into an error.
package redact

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/ascii"
)

// What replaces a secret, and a text that a short one hides.
const (
	mark      = "[redacted]"
	shortMark = "[redacted: a secret is shorter than 8 bytes]"
)

// shortest is how long a secret must be to be searched for. A shorter one occurs by
// chance, and the text around the marks would reveal it.
const shortest = 8

// Redact returns text without any of the secrets and with U+FFFD for invalid UTF-8, cut at
// limit bytes, and whether it was cut. A secret is found in each encoding; a mark replaces each
// one, or several that overlap. If a secret has fewer than 8 bytes, a mark that says so
// replaces the whole text. partial says that text is itself the start of something longer: a secret that may continue
// beyond its end is then removed as well.
//
// The cut never splits a UTF-8 sequence. Time and memory are bounded, whatever text and secrets
// contain: in the worst case, text that resembles a secret is removed as well.
func (s *Search) Redact(text []byte, limit int, partial bool) (clean []byte, cut bool) {
	if partial {
		text = wholeCharacters(text)
	}
	clean = make([]byte, 0, min(len(text), limit)+len(mark))
	s.text, s.partial = text, partial
	shown, hidden := 0, 0 // the offsets of what is
	if s.short && len(text) > 0 {
		clean, hidden = []byte(shortMark), len(text)
	}
	for i := 0; hidden < len(text) && len(clean) <= limit; i++ {
		if i >= hidden && i >= shown {
			shown = s.skip(i, min(len(text), i+limit+1-len(clean)))
			clean = append(clean, text[i:shown]...)
			if i = shown; i == len(text) || len(clean) > limit {
				break
			}
		}
		if end := s.match(i); end > hidden {
			if i >= hidden {
				clean = append(clean, mark...)
			}
			hidden = end
		}
		if i >= hidden && i >= shown {
			r, size := utf8.DecodeRune(text[i:])
			clean = utf8.AppendRune(clean, r)
			shown = i + size
		}
	}
	start := prefix(clean, limit)
	return start, partial || len(start) < len(clean)
}

// prefix returns the first bytes of text, up to a limit.
func prefix(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Folded returns a search for the same secrets in lower case, with what is left of the budget.
func (s *Search) Folded() *Search {
	var secrets []string
	for _, secret := range s.secrets {
		secrets = append(secrets, ascii.Lower(secret))
	}
	folded := NewSearch(secrets)
	folded.steps = s.steps
	return folded
}

// wholeCharacters returns text without the U+FFFD at its end, to which a host may have
// decoded a cut character: a secret that was cut there would not match it.
func wholeCharacters(text []byte) []byte {
	for bytes.HasSuffix(text, []byte("\ufffd")) {
		text = text[:len(text)-len("\ufffd")]
	}
	return text
}

// maxText is how much of a short string goes into an error, in bytes, and whole is more than there is.
const (
	maxText = 1024
	whole   = 1 << 30
)

// Text is Redact for a short string that is not partial, which may also quote a URL with a
// password: that of a proxy or a store.
func (s *Search) Text(text string) string {
	clean, _ := s.Redact([]byte(text), whole, false) // first: a secret may have an @
	return string(prefix(withoutUserInfo(string(clean)), maxText))
}

// Given is Text for what the program passed itself, which a short secret does not hide.
func (s *Search) Given(text string) string {
	if s.short {
		return text[:min(len(text), maxText)]
	}
	return s.Text(text)
}

// Text is Search.Text for the only text of a call.
func Text(text string, secrets []string) string { return NewSearch(secrets).Text(text) }

// withoutUserInfo replaces whatever is between the first :// of a word and its last @. In linear time: a
// word has no more than one URL with a user, however often it repeats what begins or ends one.
func withoutUserInfo(text string) (clean []byte) {
	copied, user, at := 0, 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] <= ' ' || text[i] == '"':
			if user > 0 && at > user {
				clean = append(append(clean, text[copied:user]...), mark...)
				copied = at
			}
			user = 0
		case text[i] == '@':
			at = i
		case user == 0 && strings.HasPrefix(text[i:], "://"):
			user = i + len("://")
		}
	}
	return append(clean, text[copied:]...)
}

// Reason returns a redacted reason in parentheses, to be appended to a message, or "".
func (s *Search) Reason(text string) string {
	if text == "" {
		return ""
	}
	return " (" + s.Text(text) + ")"
}
