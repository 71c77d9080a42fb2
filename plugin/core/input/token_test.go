package input_test

import (
	"encoding/json"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/input"
)

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTokenIsRead(t *testing.T) {
	got, err := input.ParseToken([]byte(`{"access_token":"a","token_type":"bearer","expires_at":18e2,"cache_key":"k","now":3}`))
	want := input.Token{AccessToken: "a", ExpiresAt: 1800, CacheKey: "k", Clock: input.Clock{Now: 3, HasNow: true}}
	if err != nil || *got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err = input.ParseToken([]byte(`{"access_token":"a","expires_at":1,"cache_key":"k"}`)); err != nil {
		t.Errorf("without token_type: %+v", err)
	}
}

func TestTokenIsRefused(t *testing.T) {
	whole := map[string]any{"access_token": "a", "token_type": "Bearer", "expires_at": 1, "cache_key": "k"}
	for _, tt := range []struct {
		name, key string
		value     any // nil takes the field away
	}{
		{"no access token", "access_token", nil},
		{"an empty one", "access_token", ""},
		{"one that splits a header", "access_token", "a\r\nX: y"},
		{"one that is too long", "access_token", strings.Repeat("a", input.MaxToken+1)},
		{"one that is no text", "access_token", 1},
		{"another type", "token_type", "mac"},
		{"a type that is no text", "token_type", []string{"Bearer"}},
		{"no expiry", "expires_at", nil},
		{"an expiry as text", "expires_at", "1800000000"},
		{"an expiry with a fraction", "expires_at", 1.5},
		{"an expiry before 1970", "expires_at", -1},
		{"an expiry of 0", "expires_at", 0},
		{"no cache key", "cache_key", nil},
		{"one that is no text", "cache_key", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			object := map[string]any{}
			for key, value := range whole {
				object[key] = value
			}
			object[tt.key] = tt.value
			if tt.value == nil {
				delete(object, tt.key)
			}
			text := marshal(t, object)
			_, err := input.ParseToken(text)
			checkError(t, err, tt.key)
			if _, ok := input.ParseStoredToken(string(text)); ok {
				t.Error("taken out of a store")
			}
		})
	}
}

func TestStoredToken(t *testing.T) {
	got, ok := input.ParseStoredToken(`{"access_token":"a","token_type":"Bearer","expires_at":1800,"cache_key":"k"}`)
	if want := (input.Token{AccessToken: "a", ExpiresAt: 1800, CacheKey: "k"}); !ok || *got != want {
		t.Errorf("got %+v, %v, want %+v", got, ok, want)
	}
	for _, text := range []string{``, ` `, `null`, `{}`, `[]`, "\x00", `{"state":"asking"}`,
		`{"access_token":"a","expires_at":1800,"cache_key":"k","now":1}`,
		`{"access_token":"a","expires_at":1800,"cache_key":"k","scope":"s"}`,
		`{"access_token":"a","expires_at":1800,"cache_key":"k"}{}`,
		`{"access_token":"\ud83d","expires_at":1800,"cache_key":"k"}`,
		`{"access_token":"a","expires_at":1800,"cache_key":"\ud83d"}`,
		`{"access_token":"a","access_token":"a","expires_at":1800,"cache_key":"k"}`,
		strings.Repeat("[", 1e5)} {
		if got, ok := input.ParseStoredToken(text); ok {
			t.Errorf("%.80q is taken as %+v", text, got)
		}
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", " ", "{}"} {
		if err := input.Nothing([]byte(text)); err != nil {
			t.Errorf("%q: %+v", text, err)
		}
	}
	checkError(t, input.Nothing([]byte(`{"now":1}`)), "now")
	checkError(t, input.Nothing([]byte(`[]`)), "")
}
