// Package json reads JSON objects. gjson validates those from outside; its functions that
// read values are not used, because they turn every number into a float, whose tables
// alone would be a third of the plugin.
package json

import "github.com/tidwall/gjson"

// maxDepth bounds nesting: gjson's validator recurses, and the guest's stack is
// finite where a native one grows.
const maxDepth = 64

// Object calls f with every member of the object in b, in order, until f returns false. It
// reports whether b, which comes from outside, is exactly one valid JSON object (RFC 8259);
// f is not called otherwise. Names are unescaped, and may occur more than once.
func Object(b []byte, f func(name string, value Value) bool) bool {
	return Valid(b) && Value(b).Each(f)
}

// Valid reports whether b is one JSON value that does not nest too deeply.
func Valid(b []byte) bool { return !tooDeep(b) && gjson.ValidBytes(b) }

// Blank reports whether b is empty or JSON white space.
func Blank(b []byte) bool { return skipSpace(b, 0) == len(b) }

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r') {
		at++
	}
	return at
}

// skipValue returns the end of the value that begins at at, in valid JSON.
func skipValue(b []byte, at int) int {
	depth := 0
	for {
		switch b[at] {
		case '"':
			at = skipString(b, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ' ', '\t', '\n', '\r', ',', ':':
			at++
		default:
			at = skipWord(b, at)
		}
		if depth == 0 {
			return at
		}
	}
}

func skipString(b []byte, at int) int {
	for at++; b[at] != '"'; at++ {
		if b[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// skipWord returns the end of a number or literal.
func skipWord(b []byte, at int) int {
	for at < len(b) {
		switch b[at] {
		case ' ', '\t', '\n', '\r', ',', '}', ']':
			return at
		}
		at++
	}
	return at
}

func tooDeep(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
