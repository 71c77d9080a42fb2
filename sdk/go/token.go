package rostering

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/oauth2"
)

// Token is an access token.
type Token struct {
	// AccessToken goes into the header "Authorization: Bearer <AccessToken>".
	AccessToken Secret
	// Type is Bearer.
	Type      string
	ExpiresAt time.Time
	// CacheKey names the token URL, client and scope that the token belongs to. It holds
	// no secret and is fit as a key in Redis.
	CacheKey string
}

// tokenObject is a token in the terms of the contract.
type tokenObject struct {
	AccessToken string `json:"access_token"`
	Type        string `json:"token_type,omitempty"`
	ExpiresAt   int64  `json:"expires_at"`
	CacheKey    string `json:"cache_key"`
	Now         int64  `json:"now,omitempty"`
}

func (t Token) object(now int64) tokenObject {
	return tokenObject{string(t.AccessToken), t.Type, t.ExpiresAt.Unix(), t.CacheKey, now}
}

func parseToken(object []byte) (Token, error) {
	var t tokenObject
	if err := json.Unmarshal(object, &t); err != nil {
		return Token{}, fmt.Errorf("rostering: not a token object: %w", err)
	}
	return Token{Secret(t.AccessToken), t.Type, time.Unix(t.ExpiresAt, 0), t.CacheKey}, nil
}

// TokenSource returns a source of the client's tokens, for libraries that take one. It
// does not learn which token the service refused, as [Transport] does, and [oauth2.NewClient]
// keeps a token until it expires: a revoked one is then sent until that time. When ctx ends,
// so do its calls.
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
	return &oauth2.Token{AccessToken: string(t.AccessToken), TokenType: t.Type, Expiry: t.ExpiresAt}, nil
}
