// Package percent reads percent-encoded text (RFC 3986 §2.1).
package percent

import "automatic-rostering/plugin/internal/json"

// Decode decodes text once, and reports whether every % in it begins an escape:
// clients differ on what they do with one that does not.
func Decode(text string) (decoded []byte, ok bool) {
	b := []byte(text)
	decoded = make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '%' {
			n, ok := json.Hex(b, i+1, 2)
			if !ok {
				return nil, false
			}
			c = byte(n)
			i += 2
		}
		decoded = append(decoded, c)
	}
	return decoded, true
}
