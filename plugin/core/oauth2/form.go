package oauth2

import "automatic-rostering.example/rostering/plugin/core/ascii"

const upperHex = "0123456789ABCDEF"

// formEscape encodes a value for an application/x-www-form-urlencoded body, as
// net/url.QueryEscape does; that package would add 7 KB to the plugin.
func formEscape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case ascii.Alphanumeric(c), c == '-', c == '.', c == '_', c == '~':
			b = append(b, c)
		case c == ' ':
			b = append(b, '+')
		default:
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return string(b)
}
