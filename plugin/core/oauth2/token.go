package oauth2

import (
	"encoding/hex"
	"hash/fnv"

	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/json"
)

// AppendToken appends the token object, as get_token returns it. It has the time of expiry,
// not the remaining lifetime, so that it stays the same as long as the token lives;
// expiresAt is in Unix seconds.
func AppendToken(dst []byte, token string, expiresAt int64, cacheKey string) []byte {
	dst = append(dst, `{"access_token":`...)
	dst = json.AppendString(dst, token)
	dst = append(dst, `,"token_type":"Bearer","expires_at":`...)
	dst = ascii.AppendInt(dst, expiresAt)
	dst = append(dst, `,"cache_key":`...)
	dst = json.AppendString(dst, cacheKey)
	return append(dst, '}')
}

// AccessToken returns the access token in a token object, or "".
func AccessToken(tokenObject []byte) (token string) {
	json.Value(tokenObject).Each(func(name string, value json.Value) bool {
		if name != "access_token" {
			return true
		}
		token = value.Text()
		return false
	})
	return token
}

// maxCacheKey leaves room for ":lock", the suffix of the lock: both keys must fit a
// Cloudflare KV key of 512 bytes, the lowest limit of the known stores.
const maxCacheKey = 500

// CacheKey returns a key for a store that identifies the token endpoint, client and scope to
// which a token belongs. The parts are encoded before they are joined, so that no two clients
// share a key. A key that would be too long ends in a hash.
func CacheKey(c *config.Client) string {
	key := "rostering:" + formEscape(c.TokenURL) + ":" + formEscape(c.ID) + ":" + formEscape(c.Scope)
	if len(key) <= maxCacheKey {
		return key
	}
	h := fnv.New128a()
	h.Write([]byte(key))
	end := "#" + hex.EncodeToString(h.Sum(nil))
	return key[:maxCacheKey-len(end)] + end
}
