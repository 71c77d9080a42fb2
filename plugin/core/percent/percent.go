// Package percent decodes percent-encoded text (RFC 3986 §2.1).
package percent

import (
	"strings"

	"automatic-rostering/plugin/core/ascii"
)

// Decode decodes a path or a query once, and reports whether it has only what RFC 3986
// allows there (§3.3 and §3.4): clients handle anything else differently, up to a trap
// after the secret was sent.
func Decode(text string) (decoded []byte, ok bool) {
	b := []byte(text)
	decoded = b[:0]
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '%' {
			n, ok := ascii.Hex(b, i+1, 2)
			if !ok {
				return nil, false
			}
			c = byte(n)
			i += 2
		} else if !allowed(c) {
			return nil, false
		}
		decoded = append(decoded, c)
	}
	return decoded, true
}

// allowed reports whether c is valid in a path or a query without encoding: unreserved
// characters, sub-delims and delimiters.
func allowed(c byte) bool {
	return ascii.Alphanumeric(c) || strings.IndexByte("-._~!$&'()*+,;=:@/?", c) >= 0
}
