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
	for field := range reflect.TypeFor[config.Client]().Fields() {
		one, other, name := config.Client{}, config.Client{}, field.Name
		switch value := reflect.ValueOf(&other).Elem().FieldByIndex(field.Index); value.Kind() {
		case reflect.String:
			value.SetString("other")
		case reflect.Int64:
			value.SetInt(1)
		default:
			t.Fatalf("give config.Client.%s another value here", name)
		}
		sent := !reflect.DeepEqual(oauth2.NewTokenRequest(&one), oauth2.NewTokenRequest(&other))
		if in := oauth2.CacheKey(&one) != oauth2.CacheKey(&other); in != (sent && name != "Secret") {
			t.Errorf("%s: it is in the token request: %t; in the cache key: %t", name, sent, in)
		}
	}
}

// clients have these values in each part of the key, in all combinations: some differ only in where the parts meet.
func clients() []config.Client {
	long := strings.Repeat("x", 600)
	values := []string{"", "a", "A", "b b", "b+b", "b%20b", "a:b", "a%3Ab", "é\n", "https://a/b", long, long + "x", long + "#"}
	all := []config.Client{{}}
	for field := range reflect.TypeFor[config.Client]().Fields() {
		if field.Name == "Secret" || field.Name == "Margin" { // no part of the key
			continue
		}
		var varied []config.Client
		for _, c := range all {
			for _, value := range values {
				reflect.ValueOf(&c).Elem().FieldByIndex(field.Index).SetString(value)
				varied = append(varied, c)
			}
		}
		all = varied
	}
	return all
}

func TestCacheKeysAreUniqueAndFitStores(t *testing.T) {
	seen := map[string]config.Client{}
	for _, c := range clients() {
		key := oauth2.CacheKey(&c)
		if other, found := seen[key]; found {
			t.Fatalf("%+v and %+v share %q", c, other, key)
		}
		if len(key)+len(":lock") > 512 || !ascii.AllVisible(key) {
			t.Fatalf("%q has %d bytes", key, len(key))
		}
		seen[key] = c
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
