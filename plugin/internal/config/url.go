package config

import (
	"strings"

	"automatic-rostering/plugin/internal/ascii"
)

// The ways in which an address can be wrong.
const (
	urlForm  = "must be an absolute URL such as https://host/path, without query, fragment, user info, backslash, white space or non-ASCII characters"
	urlPlain = "must begin with https://; plain http is for loopback, or with allow_http set to true"
)

// checkURL says what is wrong with an address, or "".
func checkURL(address string, allowHTTP bool) string {
	if !ascii.AllVisible(address) || strings.ContainsAny(address, `?#\`) {
		return urlForm
	}
	scheme, rest, found := strings.Cut(address, "://")
	scheme = ascii.Lower(scheme)
	if !found || scheme != "https" && scheme != "http" {
		return urlForm
	}
	authority, _, _ := strings.Cut(rest, "/")
	host, ok := splitHost(authority)
	if !ok {
		return urlForm
	}
	if scheme == "http" && !allowHTTP && !loopback(host) {
		return urlPlain
	}
	return ""
}

// splitHost takes the port off an authority (RFC 3986 §3.2) and checks both.
func splitHost(authority string) (host string, ok bool) {
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		host, port = authority[:i], authority[i+1:]
		if n, ok := ascii.Digits(port, 1<<16); !ok || n == 0 || n == 1<<16 {
			return "", false
		}
	}
	if strings.HasPrefix(host, "[") {
		inside := strings.TrimSuffix(host[1:], "]")
		return ascii.Lower(host), len(inside) == len(host)-2 && strings.Contains(inside, ":") && made(inside, ":.")
	}
	return ascii.Lower(host), host != "" && made(host, "-._")
}

// made reports whether s is made of letters, digits and the other characters.
func made(s, others string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

// loopback reports whether host, in lower case, names this machine: localhost,
// 127.0.0.0/8 or [::1].
func loopback(host string) bool {
	if host == "localhost" || host == "[::1]" {
		return true
	}
	parts := strings.Split(host, ".")
	if len(parts) != 4 || parts[0] != "127" {
		return false
	}
	for _, part := range parts {
		if n, ok := ascii.Digits(part, 256); !ok || n == 256 || len(part) > 3 {
			return false
		}
	}
	return true
}
