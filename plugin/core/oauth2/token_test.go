package oauth2_test

import (
	"reflect"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

// What changes the token request changes which token is issued, and so the cache key: all but the secret, which a rotation
// replaces.
func TestCacheKeyHasWhatTheTokenRequestHas(t *testing.T) {
	fields := reflect.TypeFor[config.Client]()
	for i := range fields.NumField() {
		one, other := config.Client{}, config.Client{}
		switch field := reflect.ValueOf(&other).Elem().Field(i); field.Kind() {
		case reflect.String:
			field.SetString("other")
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int64:
			field.SetInt(1)
		default:
			t.Fatalf("give config.Client.%s another value here", fields.Field(i).Name)
		}
		name := fields.Field(i).Name
		sent := !reflect.DeepEqual(oauth2.NewTokenRequest(&one), oauth2.NewTokenRequest(&other))
		if in := oauth2.CacheKey(&one) != oauth2.CacheKey(&other); in != (sent && name != "Secret") {
			t.Errorf("%s: it is in the token request: %t; in the cache key: %t", name, sent, in)
		}
	}
}

// clients differ from each other in one part, or in where the parts meet.
func clients() []config.Client {
	long := strings.Repeat("x", 600)
	return []config.Client{
		{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: "b", Scope: "a"},
		{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: "b b"},
		{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: "b+b"},
		{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: "b%20b"},
		{TokenURL: "https://auth.example/connect/token", ID: "a:b", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: "b:b"},
		{TokenURL: "https://auth.example/connect/token", ID: "a%3Ab", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token:a", ID: "a", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: "a:a", Scope: "b"},
		{TokenURL: "http://auth.example/connect/token", ID: "a", Scope: "b"},
		{TokenURL: "https://auth.example/Connect/token", ID: "a", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: "A", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: "é\n", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: long, Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: long, Scope: "c"},
		{TokenURL: "https://auth.example/connect/token", ID: long + "x", Scope: "b"},
		{TokenURL: "https://" + long + "/connect/token", ID: "a", Scope: "b"},
		{TokenURL: "https://" + long + "/connect/token", ID: "b", Scope: "b"},
		{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: long},
		{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: long + "#"},
	}
}

func TestCacheKeysAreUnique(t *testing.T) {
	seen := map[string]config.Client{}
	for _, c := range clients() {
		key := oauth2.CacheKey(&c)
		if other, found := seen[key]; found {
			t.Errorf("%+v and %+v share %q", c, other, key)
		}
		seen[key] = c
	}
}

func TestCacheKeyFitsStore(t *testing.T) {
	for _, c := range clients() {
		if key := oauth2.CacheKey(&c); len(key)+len(":lock") > 512 || !ascii.AllVisible(key) {
			t.Errorf("%q has %d bytes", key, len(key))
		}
	}
}

func TestCacheKeyOf500Bytes(t *testing.T) {
	c := config.Client{TokenURL: "https://auth.example/connect/token", ID: "a", Scope: "b"}
	c.Scope = strings.Repeat("x", 501-len(oauth2.CacheKey(&c)))
	exact := oauth2.CacheKey(&c)
	c.Scope += "x"
	longer := oauth2.CacheKey(&c)
	if len(exact) != 500 || !strings.HasSuffix(exact, "xxx") || len(longer) != 500 || strings.HasSuffix(longer, "xxx") {
		t.Errorf("%d bytes: %q\n%d bytes: %q", len(exact), exact, len(longer), longer)
	}
}
