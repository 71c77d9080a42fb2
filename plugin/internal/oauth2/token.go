package oauth2

import (
	"encoding/hex"
	"hash/fnv"
	"strconv"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/json"
)

// AppendToken appends the token object, as get_token gives it. It names the time
// of expiry, not the time left, so that it stays the same for the token's whole
// life; expiresAt is in Unix seconds.
func AppendToken(dst []byte, token string, expiresAt int64, cacheKey string) []byte {
	dst = append(dst, `{"access_token":`...)
	dst = gjson.AppendJSONString(dst, token)
	dst = append(dst, `,"token_type":"Bearer","expires_at":`...)
	dst = strconv.AppendInt(dst, expiresAt, 10)
	dst = append(dst, `,"cache_key":`...)
	dst = gjson.AppendJSONString(dst, cacheKey)
	return append(dst, '}')
}

// AccessToken reads the access token out of a token object, or gives "".
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

// maxCacheKey leaves room for ":asking", the lock beside the token: both must fit a
// Cloudflare KV key of 512 bytes, the shortest limit of the stores that we know.
const maxCacheKey = 500

// CacheKey names the token URL, client and scope that a token belongs to, for use
// as a key in a store. The parts are escaped before they are joined, so that no
// two clients share a key. A key that would be too long ends in a hash instead.
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
