package input

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// MaxToken is the longest access token, in bytes.
const MaxToken = 32 << 10

// AccessTokenMessage says what an access token must be.
const AccessTokenMessage = "access_token must be visible ASCII of at most 32 KiB"

// Token is the input of set_token: a token object, as get_token returns it.
type Token struct {
	AccessToken string
	ExpiresAt   int64 // Unix seconds
	CacheKey    string
	// RequestedAt is when the token of a store was requested, in Unix seconds, and Patience how
	// old it must be before a refusal replaces it, in seconds, or 0.
	RequestedAt, Patience int64
	clock.Override
}

const tokenFields fields = "access_token token_type expires_at cache_key"

// ParseToken reads the input of set_token.
func ParseToken(b []byte) (t *Token, err *apierror.Error) {
	t = &Token{}
	err = t.read(b, tokenFields+" now")
	return t, err
}

// ParseStoredToken reads the value of a cache key in the store, and reports whether it is a
// token object with the two further fields.
func ParseStoredToken(text string) (t *Token, ok bool) {
	t = &Token{}
	err := t.read([]byte(text), tokenFields+" requested_at patience")
	return t, err == nil && json.WellFormed([]byte(text))
}

func (t *Token) read(b []byte, fields fields) *apierror.Error {
	kind := "Bearer"
	err := fields.read(b, func(name string, value json.Value) *apierror.Error {
		switch name {
		case "access_token":
			return text(name, value, &t.AccessToken)
		case "token_type":
			return text(name, value, &kind)
		case "expires_at":
			return t.setExpiry(value)
		case "cache_key":
			return text(name, value, &t.CacheKey)
		case "requested_at":
			t.RequestedAt, _ = value.Natural(clock.Latest)
			return nil
		case "patience":
			t.Patience, _ = value.Natural(clock.Latest)
			return nil
		}
		return t.Override.Set(value)
	})
	switch {
	case err != nil:
		return err
	case !AccessToken(t.AccessToken):
		return apierror.Input("access_token", AccessTokenMessage)
	case ascii.Lower(kind) != "bearer":
		return apierror.Input("token_type", " must be Bearer")
	case t.ExpiresAt == 0:
		return apierror.Input("expires_at", " is missing; pass the whole token object")
	case t.CacheKey == "":
		return apierror.Input("cache_key", " is missing; pass the whole token object")
	}
	return nil
}

func (t *Token) setExpiry(value json.Value) (err *apierror.Error) {
	seconds, ok := value.Natural(clock.Latest)
	if t.ExpiresAt = seconds; !ok || seconds == 0 {
		err = apierror.Input("expires_at", " must be an integer (Unix seconds)")
	}
	return err
}

// AccessToken reports whether text can be an access token, which is sent in a header.
func AccessToken(text string) bool {
	return ascii.AllVisible(text) && len(text) <= MaxToken
}

// Nothing reads the input of an export that takes no fields.
func Nothing(b []byte) *apierror.Error {
	return fields("").read(b, nil)
}
