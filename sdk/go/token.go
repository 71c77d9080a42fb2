package rostering

import (
	"context"
	"fmt"
	"io"
	"time"
	"unique"

	"golang.org/x/oauth2"
)

// Token is an access token.
type Token struct {
	// AccessToken is what follows "Bearer " in the header Authorization.
	AccessToken Secret
	// Type is Bearer.
	Type      string
	ExpiresAt time.Time
	// CacheKey names whose token it is. It holds no secret and can be a key in Redis.
	CacheKey string
}

// tokenObject is a token as the contract describes it.
type tokenObject struct {
	AccessToken string `json:"access_token"`
	Type        string `json:"token_type,omitempty"`
	ExpiresAt   int64  `json:"expires_at"`
	CacheKey    string `json:"cache_key"`
	Now         int64  `json:"now,omitempty"`
}

func (t Token) object(now int64) tokenObject {
	return tokenObject{t.AccessToken.Expose(), t.Type, t.ExpiresAt.Unix(), t.CacheKey, now}
}

func (t *tokenObject) token() Token {
	return Token{NewSecret(t.AccessToken), t.Type, time.Unix(t.ExpiresAt, 0), t.CacheKey}
}

// TokenSource returns a source of the client's tokens, for libraries that take one. They do
// not report that the service refused a token, and [oauth2.NewClient] sends a revoked one until
// it expires; prefer [Transport]. When ctx ends, so do the calls of the source.
func (c *Client) TokenSource(ctx context.Context) oauth2.TokenSource { return tokenSource{ctx, c} }

type tokenSource struct {
	ctx    context.Context
	client *Client
}

// Token implements [oauth2.TokenSource].
func (s tokenSource) Token() (*oauth2.Token, error) {
	t, err := s.client.GetToken(s.ctx)
	if err != nil {
		return nil, err
	}
	return &oauth2.Token{AccessToken: t.AccessToken.Expose(), TokenType: t.Type, Expiry: t.ExpiresAt}, nil
}

// Secret is a string that is redacted when printed, logged or marshaled. The zero value is empty,
// and == compares the strings.
type Secret struct {
	// In a field that is not exported, package fmt calls no method: it prints an address.
	text unique.Handle[string]
}

// NewSecret returns a secret with this text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{unique.Make(text)}
}

// Expose returns the text.
func (s Secret) Expose() string {
	if s == (Secret{}) {
		return ""
	}
	return s.text.Value()
}

// String returns "[redacted]", or the empty string if the secret is empty.
func (s Secret) String() string {
	if s == (Secret{}) {
		return ""
	}
	return "[redacted]"
}

// Format writes the same as String for every verb of package fmt, including %#v and %x.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns the same as String, for encoding/json and log/slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a secret, such as one of a file with a program's settings.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
