package rostering

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestOrigins(t *testing.T) {
	for base, urls := range map[string]map[string]bool{
		"https://Api.Example.com/v1": {
			"https://api.example.com/": true, "HTTPS://api.example.com:443": true, "https://user@API.example.com?a": true,
			"http://api.example.com/": false, "https://api.example.com:8443": false, "https://api.example.com.": false,
			"https://example.com": false, "https://api.example.com.evil.example": false, "https://api.example.com@evil.example": false,
		},
		"http://127.0.0.1:80": {"http://127.0.0.1/": true, "http://127.0.0.1:443/": false, "https://127.0.0.1:80/": false},
		"http://[::1]:8080":   {"http://[::1]:8080/x": true, "http://[::1]/": false},
	} {
		for text, want := range urls {
			b, _ := url.Parse(base)
			if u, err := url.Parse(text); err != nil || origin(u) == origin(b) != want {
				t.Errorf("%s gets the token of %s: %v, want %v", text, base, !want, want)
			}
		}
	}
}

func TestMarginIsRoundedUp(t *testing.T) {
	if got := (&Config{RefreshMargin: 1500 * time.Millisecond}).keys()["refresh_margin"]; got != "2" {
		t.Errorf("1.5 s are %q", got)
	}
}

// The rules open clients with variables, which would not notice two fields that are exchanged.
func TestEachKeyIsItsField(t *testing.T) {
	var c Config
	for key, value := range c.strings() {
		field := reflect.ValueOf(&c).Elem().FieldByName(fieldOf(key)).Addr()
		if field.Elem().Kind() == reflect.String && field.Pointer() != reflect.ValueOf(value).Pointer() {
			t.Errorf("%s is not %s", key, fieldOf(key))
		}
	}
}

// A panic in the core, here of an export that there is not, fails the call alone.
func TestCoreThatPanics(t *testing.T) {
	i := new(instance)
	err := i.configure((&Config{Scope: "s", AuthURL: "https://a", ClientID: "c", ClientSecret: "s"}).keys())
	before := i.state
	i.use("no export", nil, func(_ []byte, err error) {
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodePluginFailed || e.Retryable {
			t.Errorf("the error is %v", err)
		}
	})
	i.use("check", nil, func(_ []byte, checked error) { err = errors.Join(err, checked) })
	if err != nil || len(before) == 0 || !bytes.Equal(i.state, before) {
		t.Errorf("the state is %q, not %q; %v", i.state, before, err)
	}
}

// Of the program's own transport, the words of a proxy are an error, which may quote its password.
func TestProxyThatRefuses(t *testing.T) {
	failed := wordless(new(http.Client), &url.Error{Op: "Get", URL: "https://a", Err: errors.New("the-password")})
	if strings.Contains(reason(failed), "password") {
		t.Errorf("the reason is %q", reason(failed))
	}
}
