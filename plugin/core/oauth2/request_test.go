package oauth2_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/oauth2"
)

func TestTokenRequest(t *testing.T) {
	got := oauth2.NewTokenRequest(&config.Client{TokenURL: "https://auth.example/connect/token", ID: "id", Secret: "s", Scope: "a b"})
	fields, err := url.ParseQuery(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{"grant_type": {"client_credentials"}, "client_id": {"id"}, "client_secret": {"s"}, "scope": {"a b"}}
	if !reflect.DeepEqual(fields, want) {
		t.Errorf("body %q", got.Body)
	}
	got.Body = ""
	if want := (message.Request{Method: "POST", URL: "https://auth.example/connect/token",
		Headers: []message.Header{{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}}}); !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestCredentialsAreFormEncoded(t *testing.T) {
	var every strings.Builder
	for c := range 256 {
		every.WriteByte(byte(c))
	}
	for _, tt := range []struct{ name, text string }{
		{"every byte", every.String()},
		{"what separates fields", "a&b=c;d?e#f"},
		{"a space, a plus and a percent sign", " +%20"},
		{"beyond ASCII", "pässwörd😀"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := oauth2.NewTokenRequest(&config.Client{ID: tt.text, Secret: tt.text, Scope: "s"})
			fields, err := url.ParseQuery(r.Body)
			if err != nil || fields.Get("client_id") != tt.text || fields.Get("client_secret") != tt.text || len(fields) != 4 {
				t.Errorf("%q is read as %q, %v", r.Body, fields, err)
			}
			if encoded := url.QueryEscape(tt.text); strings.Count(r.Body, "="+encoded+"&") != 2 {
				t.Errorf("%q is not as net/url encodes it, %q", r.Body, encoded)
			}
		})
	}
}
