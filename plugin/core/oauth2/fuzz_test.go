package oauth2_test

import (
	"encoding/json"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

const secret = "s3cret/+ é"

func secrets() []string { return []string{secret, "old.token"} }

func response(status int, body string) *message.Response {
	return &message.Response{Status: status, Size: len(body),
		Load: func(most int) []byte { return []byte(body[:min(most, len(body))]) }}
}

// FuzzTokenResponse parses any response: a token fits into a header, and an error contains no
// secret.
func FuzzTokenResponse(f *testing.F) {
	for _, body := range []string{``, "\x00", `{}`, `{"access_token":"a.b","token_type":"Bearer","expires_in":36e2}`,
		`{"access_token":"a","token_type":"bEARER","expires_in":"99999"}`, `{"access_token":"\u0000","token_type":"Bearer"}`,
		`{"error":"x s3cret/+ é y","error_description":"s3cret%2F%2b+%C3%A9"}`, `{"error":"s3cret\\/+ \\u00e9","access_token":"s3"}`,
		`{"error_description":"old\u002etoken` + strings.Repeat("é", 600) + `"}`} {
		f.Add(uint16(200), []byte(body))
		f.Add(uint16(401), []byte(body))
	}
	f.Fuzz(func(t *testing.T, status uint16, body []byte) {
		token, lifetime, err := oauth2.ParseTokenResponse(response(int(status), string(body)), secrets)
		if err == nil {
			if status/100 != 2 || !ascii.AllVisible(token) || len(token) > 32768 || lifetime < 1 || lifetime > 86400 {
				t.Errorf("%d: got %q, %d", status, token, lifetime)
			}
			return
		}
		if token != "" {
			t.Errorf("got %q and an error", token)
		}
		object := err.JSON()
		var fields map[string]any
		if e := json.Unmarshal(object, &fields); e != nil {
			t.Fatalf("%s: %v", object, e)
		}
		for _, secret := range secrets() {
			for name, value := range fields {
				if text, _ := value.(string); strings.Contains(text, secret) {
					t.Errorf("%s holds %q: %q", name, secret, text)
				}
			}
		}
	})
}

// FuzzToken encodes a token object and parses it.
func FuzzToken(f *testing.F) {
	f.Add("a.b-c", int64(1_800_000_000), "rostering:a:b:c")
	f.Add(`"\<>&/~!`, int64(0), `"`)
	f.Fuzz(func(t *testing.T, token string, expiresAt int64, cacheKey string) {
		if !ascii.AllVisible(token) || !ascii.AllVisible(cacheKey) {
			t.Skip("no token")
		}
		object := oauth2.TokenObject(token, expiresAt, cacheKey)
		if got := oauth2.AccessToken(object); got != token {
			t.Errorf("%s is read as %q", object, got)
		}
		var got struct {
			AccessToken string `json:"access_token"`
			TokenType   string `json:"token_type"`
			ExpiresAt   int64  `json:"expires_at"`
			CacheKey    string `json:"cache_key"`
		}
		d := json.NewDecoder(strings.NewReader(string(object)))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil || got.AccessToken != token || got.TokenType != "Bearer" ||
			got.ExpiresAt != expiresAt || got.CacheKey != cacheKey {
			t.Errorf("%s: %+v, %v", object, got, err)
		}
	})
}
