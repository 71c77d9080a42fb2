package oauth2_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/oauth2"
)

const (
	rejected    = apierror.TokenEndpointRejected
	unavailable = apierror.TokenEndpointUnavailable
	unusable    = apierror.TokenResponseInvalid
)

func TestTheStatusSaysWhatKindOfErrorItIs(t *testing.T) {
	for _, tt := range []struct {
		status    int
		code      string
		retryable bool
	}{
		{100, unavailable, true}, {199, unavailable, true},
		{200, unusable, true}, {204, unusable, true}, {299, unusable, true},
		{300, rejected, false}, {302, rejected, false}, {399, rejected, false},
		{400, rejected, false}, {401, rejected, false}, {403, rejected, false}, {404, rejected, false},
		{407, rejected, false}, {408, unavailable, true}, {409, rejected, false},
		{428, rejected, false}, {429, unavailable, true}, {430, rejected, false}, {499, rejected, false},
		{500, unavailable, true}, {501, unavailable, true}, {503, unavailable, true}, {599, unavailable, true},
	} {
		for _, body := range []string{``, `<html>`, `{"error":"invalid_client","error_description":"no such client"}`} {
			token, _, err := oauth2.ParseTokenResponse(response(tt.status, body), secrets)
			if token != "" || err == nil || err.Code != tt.code || err.Retryable != tt.retryable || err.Status != tt.status {
				t.Errorf("%d with %q: got %q, %+v", tt.status, body, token, err)
				continue
			}
			if err.RetryAfter != 0 || err.Key != "" || err.HasBody {
				t.Errorf("%d: an error of the token endpoint has no %+v", tt.status, err)
			}
			checkOAuthError(t, err, body != "" && body[0] == '{')
		}
	}
}

// checkOAuthError wants the OAuth error, or a message that says that there was none.
func checkOAuthError(t *testing.T, err *apierror.Error, found bool) {
	t.Helper()
	if found && (err.OAuthError != "invalid_client" || err.OAuthErrorDescription != "no such client") {
		t.Errorf("%d: oauth_error %q, %q", err.Status, err.OAuthError, err.OAuthErrorDescription)
	}
	if !found && (err.OAuthError != "" || err.OAuthErrorDescription != "") {
		t.Errorf("%d: oauth_error %q, %q out of nothing", err.Status, err.OAuthError, err.OAuthErrorDescription)
	}
	says := strings.Contains(err.Message, "sent no OAuth error")
	if err.Code == rejected && says == found {
		t.Errorf("%d: %q", err.Status, err.Message)
	}
}

func TestAMessageSaysWhatToDo(t *testing.T) {
	for _, tt := range []struct {
		status    int
		body      string
		says, not string
	}{
		{302, ``, "redirects", "client_secret"},
		{401, ``, "client_secret", "redirects"},
		{503, ``, "later", "client_secret"},
		{200, `{}`, "access_token", "OAuth error"},
		{200, `{"access_token":"t"}`, "token_type", "access_token"},
		{200, `{"access_token":"t","token_type":"Bearer","expires_in":0}`, "expires_in", "token_type"},
		{200, `{"error":"e"}`, "oauth_error", "access_token"},
		{200, `[]`, "JSON object", "access_token"},
	} {
		_, _, err := oauth2.ParseTokenResponse(response(tt.status, tt.body), secrets)
		if !strings.Contains(err.Message, tt.says) || strings.Contains(err.Message, tt.not) {
			t.Errorf("%d with %s: %q", tt.status, tt.body, err.Message)
		}
	}
}

func TestATokenInAnErrorResponseIsNoToken(t *testing.T) {
	const body = `{"access_token":"t","token_type":"Bearer","expires_in":3600}`
	for _, status := range []int{100, 199, 300, 400, 500} {
		if token, _, err := oauth2.ParseTokenResponse(response(status, body), secrets); token != "" || err == nil {
			t.Errorf("%d: got %q", status, token)
		}
	}
}

func TestAnErrorIn200IsAnError(t *testing.T) {
	body := `{"access_token":"the-token","token_type":"Bearer","error":"invalid_scope"}`
	token, _, err := oauth2.ParseTokenResponse(response(200, body), secrets)
	if token != "" || err == nil || err.Code != unusable || !err.Retryable || err.OAuthError != "invalid_scope" {
		t.Errorf("got %q, %+v", token, err)
	}
}

func TestNoResponseIsANetworkError(t *testing.T) {
	for name, a := range map[string]struct {
		status int
		body   string
	}{"no status": {0, ""}, "a body cut off by the host": {200, "\x00"}} {
		_, _, err := oauth2.ParseTokenResponse(response(a.status, a.body), secrets)
		if err == nil || err.Code != apierror.NetworkError || !err.Retryable || err.Status != 0 {
			t.Errorf("%s: got %+v", name, err)
		}
	}
}

func TestATooLongResponseIsNotRead(t *testing.T) {
	const most = 256 << 10
	body := `{"access_token":"t","token_type":"Bearer","x":"`
	body += strings.Repeat("x", most-len(body)-len(`"}`)) + `"}`
	if token, _, err := oauth2.ParseTokenResponse(response(200, body), secrets); len(body) != most || token != "t" {
		t.Errorf("%d bytes: got %+v", len(body), err)
	}
	a := response(200, body+" ")
	a.Load = func(most int) []byte { t.Errorf("loaded %d bytes", most); return []byte("{}") }
	if token, _, err := oauth2.ParseTokenResponse(a, secrets); err == nil || err.Code != unusable {
		t.Errorf("got %q, %+v", token, err)
	}
}

func TestOnlyAStringIsAnOAuthError(t *testing.T) {
	for _, body := range []string{`{"error":{"error":"x"}}`, `{"error":1,"error_description":["x"]}`, `{"error":null,"error":"second"}`,
		`{"x":{"error":"nested"}}`, `["error"]`} {
		_, _, err := oauth2.ParseTokenResponse(response(400, body), secrets)
		checkOAuthError(t, err, false)
	}
}

func TestAnOAuthErrorIsCutAt1024Bytes(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"exactly as much", strings.Repeat("x", 1024), 1024},
		{"one more", strings.Repeat("x", 1025), 1024},
		{"very much", strings.Repeat("x", 100_000), 1024},
		{"a character behind the cut", strings.Repeat("x", 1024) + "é", 1024},
		{"a character before the cut", strings.Repeat("x", 1022) + "éx", 1024},
		{"a character on the cut", strings.Repeat("x", 1023) + "é", 1023},
		{"a character of four bytes on the cut", strings.Repeat("x", 1021) + "😀", 1021},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := fields(t, 400, tt.text)
			for _, key := range []string{"oauth_error", "oauth_error_description"} {
				if text := got[key].(string); len(text) != tt.want || !strings.HasPrefix(tt.text, text) || !utf8.ValidString(text) {
					t.Errorf("%s: %d bytes, want %d", key, len(text), tt.want)
				}
			}
		})
	}
}

func TestInvalidUTF8MakesAnOAuthErrorNoLonger(t *testing.T) {
	_, _, err := oauth2.ParseTokenResponse(response(400, `{"error":"`+strings.Repeat("\xff", 2000)+`"}`), secrets)
	var got map[string]any
	if json.Unmarshal(err.AppendJSON(nil), &got) != nil || len(got["oauth_error"].(string)) > 1024 {
		t.Errorf("%d bytes", len(got["oauth_error"].(string)))
	}
}

// fields is the error that a host sees for an OAuth error and description of text.
func fields(t *testing.T, status int, text string) (all map[string]any) {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"error": text, "error_description": text, "access_token": "new.token"})
	_, _, err := oauth2.ParseTokenResponse(response(status, string(body)), secrets)
	if e := json.Unmarshal(err.AppendJSON(nil), &all); e != nil {
		t.Fatal(e)
	}
	return all
}

func TestSecretsAreRemovedFromAnOAuthError(t *testing.T) {
	const mark = "[redacted]"
	for _, tt := range []struct{ name, text, want string }{
		{"the client's secret", "a " + secret + " b", "a " + mark + " b"},
		{"percent-encoded", "s3cret%2F%2B%20%C3%A9", mark},
		{"form-encoded", "s3cret%2f%2b+%c3%a9", mark},
		{"JSON-escaped, within JSON", `s3cret\/+ \u00e9`, mark},
		{"the old token", "Bearer old.token", "Bearer " + mark},
		{"the token of the same response", "new.token!", mark + "!"},
		{"a mere beginning stays", "Bearer old.tok", "Bearer old.tok"},
		{"before it is cut", strings.Repeat("x", 1020) + secret, strings.Repeat("x", 1020) + "[red"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, status := range []int{200, 400, 503} {
				got := fields(t, status, tt.text)
				if got["oauth_error"] != tt.want || got["oauth_error_description"] != tt.want {
					t.Errorf("%d: got %q, %q", status, got["oauth_error"], got["oauth_error_description"])
				}
			}
		})
	}
}

func TestTheTokenEndpointsBodyIsNeverInAnError(t *testing.T) {
	for _, status := range []int{200, 302, 400, 500} {
		_, _, err := oauth2.ParseTokenResponse(response(status, `{"detail":"internal-matter","access_token":"é"}`), secrets)
		if got := string(err.AppendJSON(nil)); strings.Contains(got, "internal-matter") || strings.Contains(got, `"body"`) {
			t.Errorf("%d: %s", status, got)
		}
	}
}
