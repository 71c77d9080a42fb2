// Package canary finds secrets in what programs write, in whatever usual form.
package canary

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Shows reports whether a text has a secret. It ignores secrets of three bytes or fewer.
func Shows(text, secret string) bool {
	return len(secret) > 3 && slices.ContainsFunc(forms(secret), func(form string) bool { return strings.Contains(text, form) })
}

func forms(secret string) []string {
	quoted, _ := json.Marshal(secret)
	var latin1 []rune // what a client makes of it that reads headers as ISO-8859-1
	for _, c := range []byte(secret) {
		latin1 = append(latin1, rune(c))
	}
	all := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), url.QueryEscape(url.QueryEscape(secret)),
		string(quoted[1 : len(quoted)-1]), html.EscapeString(secret), fmt.Sprintf("%q", secret)[1:],
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
		string(latin1),
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 { // where it begins within three bytes
			encoded := encoding.EncodeToString(append(make([]byte, before), secret...))
			all = append(all, encoded[(before*8+5)/6:len(encoded)-1])
		}
	}
	return all
}

// Watch is a writer that forwards what is written, and knows whether it contains a secret.
type Watch struct {
	To      io.Writer
	Secrets []string

	mutex   sync.Mutex
	written bytes.Buffer
}

// Write implements [io.Writer].
func (w *Watch) Write(b []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.written.Write(b)
	return w.To.Write(b)
}

// Err is an error if a secret was written.
func (w *Watch) Err() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, secret := range w.Secrets {
		if Shows(w.written.String(), secret) {
			return fmt.Errorf("a secret was written: that of %d bytes", len(secret))
		}
	}
	return nil
}
