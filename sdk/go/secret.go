package rostering

import (
	"fmt"
	"io"
)

const redacted = "[redacted]"

// Secret is text that is redacted when printed, logged or marshalled.
// Convert it to a string to use it.
type Secret string

// String returns [redacted], or nothing if the secret is empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format does the same for every verb of package fmt, %#v and %x among them.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText does the same for encoding/json and log/slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
