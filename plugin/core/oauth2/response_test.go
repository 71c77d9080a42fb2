package oauth2_test

import (
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/oauth2"
)

const secret = "s3cret/+ é"

func secrets() []string { return []string{secret, "old.token"} }

func response(status int, body string) *message.Response {
	return &message.Response{Status: status, Size: len(body),
		Load: func(most int) []byte { return []byte(body[:min(most, len(body))]) }}
}

func TestTokenResponseIsRead(t *testing.T) {
	const longest = 32 << 10
	for _, tt := range []struct {
		name, body string
		token      string
		lifetime   int64
	}{
		{"as documented", `{"access_token":"a.b-c_d","expires_in":3600,"token_type":"Bearer"}`, "a.b-c_d", 3600},
		{"more members do not matter", `{"scope":"s","access_token":"t","token_type":"Bearer","expires_in":1,"x":[{}]}`, "t", 1},
		{"white space around", " \r\n{\"access_token\":\"t\",\"token_type\":\"Bearer\"}\n", "t", 300},
		{"an escaped name and value", `{"\u0061ccess_token":"\u0074","token_type":"Bearer"}`, "t", 300},
		{"every visible character", `{"access_token":"!\"#\\~","token_type":"Bearer"}`, `!"#\~`, 300},
		{"a token of 32 KiB", `{"access_token":"` + strings.Repeat("t", longest) + `","token_type":"Bearer"}`, strings.Repeat("t", longest), 300},
		{"bearer", `{"access_token":"t","token_type":"bearer"}`, "t", 300},
		{"BEARER", `{"access_token":"t","token_type":"BEARER"}`, "t", 300},
		{"the first of two tokens", `{"access_token":"t","access_token":"u","token_type":"Bearer"}`, "t", 300},
		{"the first of two, the second escaped", `{"access_token":"t","\u0061ccess_token":"u","token_type":"Bearer"}`, "t", 300},
		{"the first of two types", `{"access_token":"t","token_type":"Bearer","token_type":"mac"}`, "t", 300},
		{"the first of two lifetimes", `{"access_token":"t","token_type":"Bearer","expires_in":1,"expires_in":0}`, "t", 1},
		{"nested look-alikes do not count", `{"x":{"access_token":"u","error":"e"},"y":["expires_in",0],"access_token":"t","token_type":"Bearer"}`, "t", 300},
		{"look-alikes in text do not count", `{"x":"\",\"access_token\":\"u\"","access_token":"t","token_type":"Bearer"}`, "t", 300},
		{"names in other case do not count", `{"Access_Token":"u","ACCESS_TOKEN":"v","access_token":"t","token_type":"Bearer"}`, "t", 300},
		{"error null counts as no error", `{"access_token":"t","token_type":"Bearer","error":null}`, "t", 300},
		{"an empty error counts as no error", `{"access_token":"t","token_type":"Bearer","error":""}`, "t", 300},
	} {
		t.Run(tt.name, func(t *testing.T) {
			token, lifetime, err := oauth2.ParseTokenResponse(response(200, tt.body), secrets)
			if err != nil || token != tt.token || lifetime != tt.lifetime {
				t.Errorf("got %.40q, %d, %+v", token, lifetime, err)
			}
		})
	}
}

func TestEvery2xxCanBeAToken(t *testing.T) {
	for _, status := range []int{200, 201, 299} {
		token, _, err := oauth2.ParseTokenResponse(response(status, `{"access_token":"t","token_type":"Bearer"}`), secrets)
		if err != nil || token != "t" {
			t.Errorf("%d: got %q, %+v", status, token, err)
		}
	}
}

func TestTokenResponseIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"no body", ``},
		{"white space", ` `},
		{"no JSON", `<html>`},
		{"a form", `access_token=t&token_type=Bearer`},
		{"a list", `[{"access_token":"t","token_type":"Bearer"}]`},
		{"text", `"t"`},
		{"null", `null`},
		{"half an object", `{"access_token":"t","token_type":"Bearer"`},
		{"garbage behind", `{"access_token":"t","token_type":"Bearer"}x`},
		{"two objects", `{"access_token":"t","token_type":"Bearer"}{}`},
		{"no token", `{"token_type":"Bearer"}`},
		{"an empty token", `{"access_token":"","token_type":"Bearer"}`},
		{"a token of null", `{"access_token":null,"token_type":"Bearer"}`},
		{"a token that is a number", `{"access_token":12,"token_type":"Bearer"}`},
		{"a token that is a list", `{"access_token":["t"],"token_type":"Bearer"}`},
		{"a nested token", `{"data":{"access_token":"t"},"token_type":"Bearer"}`},
		{"the first token is null", `{"access_token":null,"access_token":"t","token_type":"Bearer"}`},
		{"a token with a space", `{"access_token":"a b","token_type":"Bearer"}`},
		{"a token with a newline", `{"access_token":"t\n","token_type":"Bearer"}`},
		{"a token that splits the header", `{"access_token":"t\r\nX: y","token_type":"Bearer"}`},
		{"a token with NUL", `{"access_token":"t\u0000","token_type":"Bearer"}`},
		{"a token with DEL", "{\"access_token\":\"t\x7f\",\"token_type\":\"Bearer\"}"},
		{"a token beyond ASCII", `{"access_token":"é","token_type":"Bearer"}`},
		{"a token of invalid UTF-8", "{\"access_token\":\"t\xff\",\"token_type\":\"Bearer\"}"},
		{"a token of 32 KiB and a byte", `{"access_token":"` + strings.Repeat("t", 32<<10+1) + `","token_type":"Bearer"}`},
		{"no type", `{"access_token":"t"}`},
		{"a type of null", `{"access_token":"t","token_type":null}`},
		{"an empty type", `{"access_token":"t","token_type":""}`},
		{"another type", `{"access_token":"t","token_type":"mac"}`},
		{"a type that only begins like it", `{"access_token":"t","token_type":"Bearer "}`},
		{"the first type is another", `{"access_token":"t","token_type":"mac","token_type":"Bearer"}`},
	} {
		t.Run(tt.name, func(t *testing.T) { checkUnusable(t, tt.body) })
	}
}

func checkUnusable(t *testing.T, body string) {
	t.Helper()
	token, lifetime, err := oauth2.ParseTokenResponse(response(200, body), secrets)
	if err == nil {
		t.Fatalf("got %.40q, %d", token, lifetime)
	}
	if token != "" || err.Code != apierror.TokenResponseInvalid || !err.Retryable || err.Status != 200 || err.Message == "" ||
		err.OAuthError != "" || err.HasBody {
		t.Errorf("got %+v", err)
	}
}

func TestLifetime(t *testing.T) {
	const refused = 0
	for _, tt := range []struct {
		name, value string
		want        int64
	}{
		{"null is 300 s", `null`, 300},
		{"one second", `1`, 1},
		{"a day", `86400`, 86400},
		{"more than a day is a day", `86401`, 86400},
		{"much more than a day", `1e400`, 86400},
		{"more than 64 bits", `18446744073709551616`, 86400},
		{"zeros behind the point", `3600.0`, 3600},
		{"an exponent", `36e2`, 3600},
		{"a negative exponent", `36000e-1`, 3600},
		{"text of digits", `"3600"`, 3600},
		{"text of a day and a second", `"86401"`, 86400},
		{"text of more than 64 bits", `"18446744073709551616"`, 86400},
		{"escaped text of digits", `"\u0033600"`, 3600},
		{"zero", `0`, refused},
		{"zero with a point", `0.0`, refused},
		{"negative zero", `-0`, refused},
		{"negative", `-1`, refused},
		{"very negative", `-1e400`, refused},
		{"a fraction", `3600.5`, refused},
		{"less than a second", `0.5`, refused},
		{"more than a day with a fraction", `86401.5`, refused},
		{"text of zero", `"0"`, refused},
		{"negative text", `"-1"`, refused},
		{"text with a point", `"3600.0"`, refused},
		{"text with an exponent", `"36e2"`, refused},
		{"text with a space", `" 3600"`, refused},
		{"text with a unit", `"3600s"`, refused},
		{"no text", `""`, refused},
		{"true", `true`, refused},
		{"a list", `[3600]`, refused},
		{"an object", `{}`, refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := `{"access_token":"t","token_type":"Bearer","expires_in":` + tt.value + `}`
			if tt.want == refused {
				checkUnusable(t, body)
				return
			}
			if _, got, err := oauth2.ParseTokenResponse(response(200, body), secrets); err != nil || got != tt.want {
				t.Errorf("got %d, %+v, want %d", got, err, tt.want)
			}
		})
	}
}
