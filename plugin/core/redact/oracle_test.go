package redact_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"
)

// The oracle searches for secrets naively: it compares each with the text at each byte, in
// each encoding. It takes the product of their lengths, but is easy to verify.

var encodings = []string{"plain", "percent", "form", "JSON"}

// next decodes one character of text, and returns its length in bytes.
func next(encoding, text string) (spelled string, size int) {
	switch {
	case encoding == "form" && text[0] == '+':
		return " ", 1
	case (encoding == "form" || encoding == "percent") && text[0] == '%' && len(text) >= 3:
		if spelled, err := url.PathUnescape(text[:3]); err == nil {
			return spelled, 3
		}
	case encoding == "JSON" && text[0] == '\\':
		for _, size := range []int{12, 6, 2} {
			var read string
			if len(text) >= size && (size < 12 || text[6] == '\\') &&
				json.Unmarshal([]byte(`"`+text[:size]+`"`), &read) == nil && utf8.RuneCountInString(read) == 1 {
				return read, size
			}
		}
	}
	return text[:1], 1
}

// decode decodes all of text.
func decode(encoding, text string) string {
	var b strings.Builder
	for text != "" {
		spelled, size := next(encoding, text)
		b.WriteString(spelled)
		text = text[size:]
	}
	return b.String()
}

// match returns how many bytes of text, read in that encoding, spell the secret, or 0. In a
// partial text the secret may continue beyond the end. An escape that the end may have cut
// can stand for anything: with strict it must not be the next part of the secret, otherwise
// it is enough that the reading gets there.
func match(encoding, text, secret string, partial, strict bool) int {
	at := 0
	for secret != "" {
		if at == len(text) {
			if partial {
				return at
			}
			return 0
		}
		spelled, size := next(encoding, text[at:])
		mayBeCut := partial && at > 0 && len(text)-at < len(`\ud83d\ude00`) && (text[at] == '%' || text[at] == '\\')
		if mayBeCut && !strict {
			return len(text)
		}
		end := min(len(spelled), len(secret))
		if spelled[:end] != secret[:end] || strict && end < len(spelled) {
			if mayBeCut {
				return len(text)
			}
			return 0
		}
		at += size
		secret = secret[end:]
	}
	return at
}

// findAll returns which bytes of text belong to a secret, wherever it begins, and the position
// of the mark for each group of overlapping secrets.
func findAll(text string, secrets []string, partial bool) (hidden, marks []bool) {
	hidden, marks = make([]bool, len(text)), make([]bool, len(text))
	end := 0 // of what is hidden so far
	for i := range len(text) {
		n := longest(text[i:], secrets, partial, false)
		marks[i] = n > 0 && i >= end
		end = max(end, i+n)
		hidden[i] = i < end
	}
	return hidden, marks
}

// findLongest returns which bytes of text belong to secrets when read from left to right, the
// longest if there is a choice: the least that must be hidden.
func findLongest(text string, secrets []string, partial bool) (hidden []bool) {
	hidden = make([]bool, len(text))
	for i := 0; i < len(text); {
		if n := longest(text[i:], secrets, partial, true); n > 0 {
			for k := range n {
				hidden[i+k] = true
			}
			i += n
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return hidden
}

func longest(text string, secrets []string, partial, strict bool) (n int) {
	for _, secret := range secrets {
		for _, encoding := range encodings {
			if secret != "" {
				n = max(n, match(encoding, text, secret, partial, strict))
			}
		}
	}
	return n
}

// show returns text with a mark for each group of secrets.
func show(text string, hidden, marks []bool) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if marks[i] {
			b.WriteString(mark)
		}
		end := i + 1
		for end < len(text) && hidden[end] == hidden[i] && !marks[end] {
			end++
		}
		if !hidden[i] {
			b.WriteString(string([]rune(text[i:end])))
		}
		i = end
	}
	return b.String()
}
