package rostering

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Token is an access token.
type Token struct {
	// AccessToken goes into the header "Authorization: Bearer <AccessToken>".
	AccessToken Secret
	// Type is Bearer.
	Type      string
	ExpiresAt time.Time
	// CacheKey names the token URL, the client and the scope that the token
	// belongs to. It holds no secret.
	CacheKey string
}

// Token gives an access token for requests of your own: the one that the plugin
// has, or a new one.
func (c *Client) Token(ctx context.Context) (Token, error) {
	return c.token(ctx, map[string]any{})
}

// ForceToken asks for a new token in any case. If that fails, the plugin keeps
// the one it has.
func (c *Client) ForceToken(ctx context.Context) (Token, error) {
	return c.token(ctx, map[string]any{"force": true})
}

func (c *Client) token(ctx context.Context, input map[string]any) (Token, error) {
	object, err := c.call(ctx, getToken, input)
	if err != nil {
		return Token{}, err
	}
	var t struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresAt   int64  `json:"expires_at"`
		CacheKey    string `json:"cache_key"`
	}
	if err := json.Unmarshal(object, &t); err != nil {
		return Token{}, fmt.Errorf("rostering: %s: %w", getToken, err)
	}
	return Token{Secret(t.AccessToken), t.TokenType, time.Unix(t.ExpiresAt, 0), t.CacheKey}, nil
}
