// Package object reads JSON objects that others sent. gjson validates them; its
// reading of values is not used, because it turns every number into a float, whose
// tables alone would be a third of the plugin.
package json

import "github.com/tidwall/gjson"

// maxDepth bounds nesting: gjson's validator recurses, and the guest's stack is
// finite where a native one grows.
const maxDepth = 64

// Each calls f with every member of the one object in b, in order, until f gives
// false. It reports whether b is exactly one valid JSON object (RFC 8259); f is not
// called otherwise. A member's name is unescaped, and names may repeat.
func Each(b []byte, f func(name string, value Value) bool) bool {
	if tooDeep(b) || !gjson.ValidBytes(b) {
		return false
	}
	at := skipSpace(b, 0)
	if b[at] != '{' {
		return false
	}
	for {
		at = skipSpace(b, at+1) // behind { or ,
		if b[at] == '}' {
			return true // only of an empty object
		}
		end := skipValue(b, at)
		name := Value(b[at:end])
		at = skipSpace(b, end)
		at = skipSpace(b, at+1) // behind :
		end = skipValue(b, at)
		if !f(name.Text(), Value(b[at:end])) {
			return true
		}
		if at = skipSpace(b, end); b[at] == '}' {
			return true
		}
	}
}

// Blank reports whether b is empty or JSON white space.
func Blank(b []byte) bool { return skipSpace(b, 0) == len(b) }

func skipSpace(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r') {
		at++
	}
	return at
}

// skipValue gives the end of the value that begins at at, in valid JSON.
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

// skipWord gives the end of a number or literal.
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
