package rostering

import (
	"fmt"
	"io"
)

// Secret is a string that is redacted when printed, logged or marshaled. Convert it to a string
// to use it.
type Secret string

// String returns "[redacted]", or the empty string if the secret is empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// Format writes the same as String for every verb of package fmt, including %#v and %x.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns the same as String, for encoding/json and log/slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
