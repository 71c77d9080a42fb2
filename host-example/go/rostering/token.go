package rostering

import (
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
	// CacheKey names the token URL, client and scope that the token belongs to. It holds
	// no secret and is fit as a key in Redis.
	CacheKey string
}

func (t Token) fields() map[string]any {
	return map[string]any{
		"access_token": string(t.AccessToken),
		"token_type":   t.Type,
		"expires_at":   t.ExpiresAt.Unix(),
		"cache_key":    t.CacheKey,
	}
}

func parseToken(object []byte) (Token, error) {
	var t struct {
		AccessToken string `json:"access_token"`
		Type        string `json:"token_type"`
		ExpiresAt   int64  `json:"expires_at"`
		CacheKey    string `json:"cache_key"`
	}
	if err := json.Unmarshal(object, &t); err != nil {
		return Token{}, fmt.Errorf("rostering: not a token object: %w", err)
	}
	return Token{Secret(t.AccessToken), t.Type, time.Unix(t.ExpiresAt, 0), t.CacheKey}, nil
}
