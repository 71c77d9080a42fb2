package oauth2

import (
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// TokenObject returns the token object, as get_token returns it. It has the time of expiry,
// not the remaining lifetime, so that it stays the same as long as the token lives;
// expiresAt is in Unix seconds.
func TokenObject(token string, expiresAt int64, cacheKey string) []byte {
	var w json.Writer
	w.Raw(`{"access_token":`)
	w.Text(token)
	w.Raw(`,"token_type":"Bearer"`)
	w.Number("expires_at", expiresAt)
	w.Name("cache_key")
	w.Text(cacheKey)
	w.Raw("}")
	return w
}

// StoredToken returns the value of a token in the store: its object, with when it was requested
// in Unix seconds, and its patience.
func StoredToken(object []byte, requestedAt, patience int64) string {
	var w json.Writer
	w.Raw(string(object[:len(object)-1]))
	w.Number("requested_at", requestedAt)
	if patience > 0 {
		w.Number("patience", patience)
	}
	w.Raw("}")
	return string(w)
}

// AccessToken returns the access token in a token object, or "".
func AccessToken(tokenObject []byte) string {
	return json.Value(tokenObject).Get("access_token").Text()
}

// maxCacheKey leaves room for the suffix of the lock: both keys must fit a Cloudflare KV key
// of 512 bytes, the lowest limit of the known stores.
const maxCacheKey = 500

// CacheKey returns a key for a store that names whose token it is. The parts are encoded before
// they are joined, so that no two clients share a key. A key that would be too long ends in a hash.
func CacheKey(c *config.Client) string {
	key := "rostering:" + formEscape(c.TokenURL) + ":" + formEscape(c.ID) + ":" + formEscape(c.Scope)
	if len(key) <= maxCacheKey {
		return key
	}
	end := "#" + ascii.Int(instance.Hash(key))
	return key[:maxCacheKey-len(end)] + end
}
