package config_test

import "testing"

// What becomes of a URL: with https only, or also with allow_http.
const (
	refused = iota
	plainHTTP
	accepted
)

func TestURL(t *testing.T) {
	for _, tt := range []struct {
		name, url string
		want      int
	}{
		{"https", "https://auth.example", accepted},
		{"https in capitals", "HTTPS://AUTH.EXAMPLE", accepted},
		{"a path prefix", "https://auth.example/a/b", accepted},
		{"a trailing slash", "https://auth.example/", accepted},
		{"every letter and digit that a host can begin and end with", "https://az09.AZ-az_09.example", accepted},
		{"percent-escapes in the path", "https://auth.example/%20/%Af%fA", accepted},
		{"an at sign in the path", "https://auth.example/@a", accepted},
		{"a colon in the path", "https://auth.example/a:b", accepted},
		{"every sign that a path may have", "https://auth.example/-._~!$&'()*+,;=", accepted},
		{"a port", "https://auth.example:8443", accepted},
		{"the first port", "https://auth.example:1", accepted},
		{"the last port", "https://auth.example:65535", accepted},
		{"a name without dots", "https://auth", accepted},
		{"a name in Punycode", "https://xn--bcher-kva.example", accepted},
		{"an IPv4 address", "https://192.0.2.1", accepted},
		{"an IPv6 address", "https://[2001:db8::1]", accepted},
		{"an IPv6 address with a port", "https://[2001:db8::1]:8443/a", accepted},
		{"an IPv6 address with an IPv4 end", "https://[::ffff:192.0.2.1]", accepted},
		{"an IPv6 address without a gap", "https://[1:2:3:4:5:6:7:8]", accepted},
		{"an IPv6 address in capitals", "https://[2001:DB8::A]", accepted},
		{"an IPv6 address that ends in a gap", "https://[2001:db8::]", accepted},
		{"an IPv6 address that is a gap", "https://[::]", accepted},
		{"an IPv6 address with a gap of one group", "https://[1:2:3:4:5:6:7::]", accepted},
		{"an IPv6 address with an IPv4 end and no gap", "https://[1:2:3:4:5:6:192.0.2.1]", accepted},

		{"no scheme", "auth.example", refused},
		{"no scheme, with a port", "auth.example:443", refused},
		{"no scheme, with slashes", "//auth.example", refused},
		{"a path alone", "/connect", refused},
		{"another scheme", "ftp://auth.example", refused},
		{"a scheme that only begins like one", "httpsx://auth.example", refused},
		{"an empty scheme", "://auth.example", refused},
		{"one slash", "https:/auth.example", refused},
		{"no slash", "https:auth.example", refused},
		{"no host", "https://", refused},
		{"no host, with a path", "https:///a", refused},
		{"no host, with a port", "https://:443", refused},
		{"a query", "https://auth.example/?a=b", refused},
		{"an empty query", "https://auth.example?", refused},
		{"a fragment", "https://auth.example/#a", refused},
		{"an empty fragment", "https://auth.example#", refused},
		{"user info", "https://user@auth.example", refused},
		{"user info with a password", "https://user:password@auth.example", refused},
		{"empty user info", "https://@auth.example", refused},
		{"a host that is user info", "https://localhost:80@evil.example", refused},
		{"a backslash", `https://auth.example\a`, refused},
		{"a backslash in place of a slash", `https:\\auth.example`, refused},
		{"a space before", " https://auth.example", refused},
		{"a space behind", "https://auth.example ", refused},
		{"a space inside", "https://auth.example/a b", refused},
		{"a newline behind", "https://auth.example\n", refused},
		{"a tab", "https://auth\t.example", refused},
		{"NUL", "https://auth.example\x00", refused},
		{"DEL", "https://auth.example\x7f", refused},
		{"a host beyond ASCII", "https://bücher.example", refused},
		{"a path that no URI has", "https://auth.example/a|b", refused},
		{"quotes in the path", `https://auth.example/"a"`, refused},
		{"angle brackets in the path", "https://auth.example/<a>", refused},
		{"braces in the path", "https://auth.example/{a}", refused},
		{"a backtick in the path", "https://auth.example/`", refused},
		{"a circumflex in the path", "https://auth.example/^", refused},
		{"brackets in the path", "https://auth.example/[a]", refused},
		{"an IPv6 address with brackets in the path", "https://[::1]/[a]", refused},
		{"a path beyond ASCII", "https://auth.example/ü", refused},
		{"a percent-escape in the host", "https://auth%2eexample", refused},
		{"an invalid percent-escape", "https://auth.example/%zz", refused},
		{"a percent-escape that is cut short", "https://auth.example/%2", refused},
		{"a percent-escape of one digit", "https://auth.example/%2/a", refused},
		{"a percent sign in place of a digit", "https://auth.example/%2%20", refused},
		{"an invalid percent-escape after a valid one", "https://auth.example/%20%zz", refused},
		{"port zero", "https://auth.example:0", refused},
		{"a port too high", "https://auth.example:65536", refused},
		{"a port of letters", "https://auth.example:http", refused},
		{"a negative port", "https://auth.example:-1", refused},
		{"two ports", "https://auth.example:80:80", refused},
		{"an IPv6 address without brackets", "https://2001:db8::1", refused},
		{"an IPv6 address without an end", "https://[::1", refused},
		{"an IPv6 address without a beginning", "https://::1]", refused},
		{"an IPv6 address and more", "https://[::1]a", refused},
		{"an IPv6 address with a zone", "https://[fe80::1%25eth0]", refused},
		{"brackets around a name", "https://[localhost]", refused},
		{"brackets around nothing", "https://[]", refused},
		{"an IPv6 address of two groups", "https://[1:2]", refused},
		{"an IPv6 address of seven groups", "https://[1:2:3:4:5:6:7]", refused},
		{"an IPv6 address of nine groups", "https://[1:2:3:4:5:6:7:8:9]", refused},
		{"an IPv6 address with two gaps", "https://[1::2::3]", refused},
		{"an IPv6 address that begins with one colon", "https://[:1::2]", refused},
		{"an IPv6 address with a group too long", "https://[12345::]", refused},
		{"an IPv6 address with a letter that is no digit", "https://[::g]", refused},
		{"an IPv6 address with half an IPv4 end", "https://[::192.0.2]", refused},
		{"an IPv6 address with a gap of no group", "https://[1:2:3:4::5:6:7:8]", refused},
		{"an IPv6 address with an IPv4 end too many", "https://[1:2:3:4:5:6:7:192.0.2.1]", refused},
		{"an IPv6 address with IPv4 before its end", "https://[::192.0.2.1:1]", refused},
		{"an IPv6 address with IPv4 before a gap", "https://[192.0.2.1::]", refused},
		{"an IPv6 address with three colons", "https://[1:::2]", refused},
		{"an IPv4 address in brackets", "https://[192.0.2.1]", refused},

		{"plain http", "http://auth.example", plainHTTP},
		{"plain http in capitals", "HTTP://auth.example", plainHTTP},
		{"plain http to a private address", "http://192.168.0.1", plainHTTP},
		{"plain http to any address", "http://0.0.0.0", plainHTTP},
		{"plain http to another IPv6 address", "http://[::2]", plainHTTP},
		{"plain http with a query", "http://auth.example?a", refused},

		{"loopback by name", "http://localhost", accepted},
		{"loopback by name in capitals", "http://LocalHost:8080/a", accepted},
		{"loopback by IPv4 address", "http://127.0.0.1:8080", accepted},
		{"the first address of 127.0.0.0/8", "http://127.0.0.0", accepted},
		{"the last address of 127.0.0.0/8", "http://127.255.255.255", accepted},
		{"loopback by IPv6 address", "http://[::1]", accepted},
		{"loopback by IPv6 address with a port", "http://[::1]:8080/", accepted},
		{"just below 127.0.0.0/8", "http://126.255.255.255", plainHTTP},
		{"just above 127.0.0.0/8", "http://128.0.0.0", plainHTTP},
		{"a name that begins like loopback", "http://127.0.0.1.evil.com", plainHTTP},
		{"a name that begins with localhost", "http://localhost.evil.com", plainHTTP},
		{"a name that ends in localhost", "http://evil-localhost", plainHTTP},
		{"a subdomain of localhost", "http://evil.localhost", plainHTTP},
		{"a name with 127 in it", "http://127.evil.com", plainHTTP},
		{"four parts that are no numbers", "http://127.0.0.x", plainHTTP},
		{"a part too large", "http://127.0.0.256", plainHTTP},
		{"an empty part", "http://127.0..1", plainHTTP},
		{"a short form, which clients read differently", "http://127.1", plainHTTP},
		{"a leading zero, which some clients read as a name", "http://127.0.0.01", plainHTTP},
		{"an IPv4 address as a number", "http://2130706433", plainHTTP},
		{"a hexadecimal part", "http://0x7f.0.0.1", plainHTTP},
		{"loopback as IPv4 in IPv6", "http://[::ffff:127.0.0.1]", plainHTTP},
		{"loopback by name with a query", "http://localhost?a", refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, key := range []string{"auth_url", "base_url"} {
				checkAddress(t, key, keys{key: tt.url}, tt.want == accepted)
				checkAddress(t, key, keys{key: tt.url, "allow_http": "false"}, tt.want == accepted)
				checkAddress(t, key, keys{key: tt.url, "allow_http": "true"}, tt.want != refused)
			}
		})
	}
}

func checkAddress(t *testing.T, key string, changes keys, want bool) {
	t.Helper()
	code := invalid
	if want {
		code = ""
	}
	checkError(t, readAll(with(changes).get), code, key)
}
