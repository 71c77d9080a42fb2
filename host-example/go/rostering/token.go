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
	// CacheKey names the token URL, the client and the scope that the token
	// belongs to. It holds no secret: it is fit as a key in Redis.
	CacheKey string
}

// Object gives the token as the contract's JSON object, to be kept where secrets
// may be kept: the access token stands in it. [ParseToken] reads it.
func (t Token) Object() []byte {
	object, _ := json.Marshal(t.fields()) // texts and a number: that cannot fail
	return object
}

func (t Token) fields() map[string]any {
	return map[string]any{
		"access_token": string(t.AccessToken),
		"token_type":   t.Type,
		"expires_at":   t.ExpiresAt.Unix(),
		"cache_key":    t.CacheKey,
	}
}

// ParseToken reads what [Token.Object] gave, here or in another language. Whether
// the token is of use, SetToken tells.
func ParseToken(object []byte) (Token, error) {
	var t struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		ExpiresAt   int64  `json:"expires_at"`
		CacheKey    string `json:"cache_key"`
	}
	if err := json.Unmarshal(object, &t); err != nil {
		return Token{}, fmt.Errorf("rostering: this is no token object: %w", err)
	}
	return Token{Secret(t.AccessToken), t.TokenType, time.Unix(t.ExpiresAt, 0), t.CacheKey}, nil
}
