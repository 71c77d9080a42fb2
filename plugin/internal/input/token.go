package input

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/json"
)

// MaxToken bounds an access token, in bytes.
const MaxToken = 32 << 10

// Token is the input of set_token: a token object, as get_token gives it.
type Token struct {
	AccessToken string
	ExpiresAt   int64 // Unix seconds
	CacheKey    string
	Clock
}

// ParseToken reads the input of set_token.
func ParseToken(b []byte) (t Token, err *apierror.Error) {
	kind := "Bearer"
	err = fields{"access_token", "token_type", "expires_at", "cache_key", "now"}.read(b, func(name string, value json.Value) *apierror.Error {
		switch name {
		case "access_token":
			return text(name, value, &t.AccessToken)
		case "token_type":
			return text(name, value, &kind)
		case "expires_at":
			return t.setExpiry(value)
		case "cache_key":
			return text(name, value, &t.CacheKey)
		}
		return t.Clock.set(value)
	})
	switch {
	case err != nil:
	case !AccessToken(t.AccessToken):
		err = apierror.Input("access_token", "access_token is missing, or no text of visible ASCII of at most 32 KiB")
	case ascii.Lower(kind) != "bearer":
		err = apierror.Input("token_type", "token_type must be Bearer")
	case t.ExpiresAt == 0:
		err = apierror.Input("expires_at", "expires_at is missing; hand in the whole token object that get_token gave")
	case t.CacheKey == "":
		err = apierror.Input("cache_key", "cache_key is missing; hand in the whole token object that get_token gave")
	}
	return t, err
}

func (t *Token) setExpiry(value json.Value) *apierror.Error {
	if value.Kind() == json.Number {
		seconds, negative, whole := value.Integer(clock.Latest)
		if whole && !negative && seconds > 0 {
			t.ExpiresAt = seconds
			return nil
		}
	}
	return apierror.Input("expires_at", "expires_at must be a whole number of Unix seconds")
}

// AccessToken reports whether text can be an access token: it goes into a header.
func AccessToken(text string) bool {
	return ascii.AllVisible(text) && len(text) <= MaxToken
}

// Nothing reads the input of an export that takes no fields.
func Nothing(b []byte) *apierror.Error {
	return fields{}.read(b, nil)
}
