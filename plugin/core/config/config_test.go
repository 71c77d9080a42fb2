package config_test

import (
	"maps"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/config"
)

// keys is a host's config. All keys that it does not have, have the value of "*".
type keys map[string]string

func (k keys) get(key string) string {
	if value, ok := k[key]; ok {
		return value
	}
	return k["*"]
}

// checkError reads a valid config with changes. Without a code, it wants no error.
func checkError(t *testing.T, changes keys, code, key string) {
	t.Helper()
	all := keys{"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://api.example",
		"client_id": "id", "client_secret": "hunter2", "customer_id": "c", "user_id": "u"}
	maps.Copy(all, changes)
	switch err := config.Validate(all.get); {
	case err == nil && code == "":
	case err == nil:
		t.Errorf("%q are accepted", changes)
	case err.Code != code || err.Key != key || err.Message == "" || strings.Contains(err.Message, "hunter2"):
		t.Errorf("%q: got %+v, want %q about %q", changes, err, code, key)
	}
}

// The rules show the other keys.
func TestConfig(t *testing.T) {
	checkError(t, keys{"client_secret": "hunter2é€😀"}, "", "")
	for _, wrong := range []string{"\n", "\ufffd", "\xff", "\xed\xa0\x80", "\xc3"} { // the fourth is a lone surrogate
		checkError(t, keys{"client_secret": "hunter2" + wrong}, apierror.ConfigInvalid, "client_secret")
	}
}

// With https, or with http to a loopback host.
var accepted = []string{
	"https://auth.example", "HTTPS://AUTH.EXAMPLE", "https://auth.example/", "https://auth.example/a/b", "https://auth.example/%20/@a:b",
	"https://auth", "https://az09.AZ-az_09.example", "https://xn--bcher-kva.example", "https://192.0.2.1",
	"https://auth.example:8443", "https://auth.example:1", "https://auth.example:65535",
	"https://[2001:db8::1]", "https://[2001:DB8::A]:8443/a", "https://[1:2:3:4:5:6:7:8]", "https://[::ffff:192.0.2.1]", "https://[1:2:3:4:5:6:192.0.2.1]",
	"https://[2001:db8::]", "https://[::]", "https://[1:2:3:4:5:6:7::]",
	"http://localhost", "http://LocalHost:8080/a", "http://127.0.0.1:8080", "http://127.0.0.0", "http://127.255.255.255", "http://[::1]", "http://[::1]:8080/",
}

// With allow_http only, although some look like loopback.
var plainHTTP = []string{
	"http://auth.example", "HTTP://auth.example", "http://192.168.0.1", "http://0.0.0.0", "http://[::2]", "http://126.255.255.255", "http://128.0.0.0",
	"http://127.0.0.1.evil.com", "http://localhost.evil.com", "http://evil-localhost", "http://evil.localhost", "http://127.evil.com",
	"http://127.0.0.x", "http://127.0.0.256", "http://127.0..1", "http://[::ffff:127.0.0.1]",
	"http://127.1", "http://127.0.0.01", "http://2130706433", "http://0x7f.0.0.1", // clients read these differently
}

var refused = []string{
	"auth.example", "auth.example:443", "//auth.example", "/connect", "ftp://auth.example", "httpsx://auth.example", "://auth.example",
	"https:/auth.example", "https:auth.example", `https:\\auth.example`, "https://", "https:///a", "https://:443",
	"https://auth.example/?a=b", "https://auth.example?", "https://auth.example/#a", "https://auth.example#", "http://localhost?a",
	"https://user@auth.example", "https://@auth.example", "https://localhost:80@evil.example", `https://auth.example\a`,
	" https://auth.example", "https://auth.example ", "https://auth.example\n", "https://auth\t.example", "https://auth.example\x00",
	"https://bücher.example", "https://auth%2eexample", "https://auth.example/%zz", "https://auth.example/a|b", "https://[::1]/[a]",
	"https://auth.example:0", "https://auth.example:65536", "https://auth.example:http", "https://auth.example:-1", "https://auth.example:80:80",
	"https://2001:db8::1", "https://[::1", "https://::1]", "https://[::1]a", "https://[fe80::1%25eth0]", "https://[localhost]", "https://[]", "https://[192.0.2.1]",
	"https://[1:2]", "https://[1:2:3:4:5:6:7]", "https://[1:2:3:4:5:6:7:8:9]", "https://[1:2:3:4::5:6:7:8]", "https://[1:2:3:4:5:6:7:192.0.2.1]",
	"https://[1::2::3]", "https://[1:::2]", "https://[:1::2]", "https://[12345::]", "https://[::g]",
	"https://[::192.0.2]", "https://[::192.0.2.1:1]", "https://[192.0.2.1::]",
}

func TestURL(t *testing.T) {
	check := func(urls []string, allowHTTP, code string) {
		for _, url := range urls {
			for _, key := range []string{"auth_url", "base_url"} {
				checkError(t, keys{key: url, "allow_http": allowHTTP}, code, key)
			}
		}
	}
	for _, allowHTTP := range []string{"", "false", "true"} {
		check(accepted, allowHTTP, "")
		check(refused, allowHTTP, apierror.ConfigInvalid)
	}
	check(plainHTTP, "", apierror.ConfigInvalid)
	check(plainHTTP, "false", apierror.ConfigInvalid)
	check(plainHTTP, "true", "")
}
