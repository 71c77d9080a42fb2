package config

import (
	"strings"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
)

// What can be wrong with a URL.
const (
	urlForm  = " must be an absolute URL (https://host/path) without query, fragment, user info, backslash or white space"
	urlPlain = " must begin with https://; plain http needs a loopback host or allow_http set to true"
)

// BaseURL returns base_url, without a trailing slash.
func BaseURL(get Lookup) (string, *apierror.Error) {
	return baseURL(get, "base_url", get("allow_http"))
}

func baseURL(get Lookup, key, allowHTTP string) (string, *apierror.Error) {
	value := get(key)
	if value == "" {
		return "", apierror.Missing(key, " to the https URL")
	}
	if wrong := checkURL(value, allowHTTP == "true"); wrong != "" {
		return "", apierror.Config(key, wrong)
	}
	value = strings.TrimRight(value, "/")
	appended := "/jobs"
	if key == "auth_url" {
		appended = "/connect/token"
	}
	// The host itself may be called jobs.
	if before, ok := strings.CutSuffix(value, appended); ok && !strings.HasSuffix(before, "/") {
		return "", apierror.Config(key, " must not end in "+appended+", which is appended")
	}
	return value, nil
}

// checkURL returns what is wrong with a URL, or "".
func checkURL(url string, allowHTTP bool) string {
	scheme, rest, found := ascii.Cut(url, "://")
	scheme = ascii.Lower(scheme)
	if !found || scheme != "https" && scheme != "http" {
		return urlForm
	}
	authority, path, _ := ascii.Cut(rest, "/")
	host, ok := splitHost(authority)
	if _, pathOK := ascii.PercentDecode(path); !ok || !pathOK || strings.IndexByte(path, '?') >= 0 {
		return urlForm
	}
	if scheme == "http" && !allowHTTP && !loopback(host) {
		return urlPlain
	}
	return ""
}

// splitHost returns the host of an authority (RFC 3986 §3.2), in lower case, and checks host
// and port.
func splitHost(authority string) (host string, ok bool) {
	host = ascii.Lower(authority)
	if i := strings.LastIndexByte(host, ':'); i >= 0 && host[len(host)-1] != ']' {
		port, ok := ascii.Digits(host[i+1:], 1<<16)
		if !ok || port == 0 || port == 1<<16 {
			return "", false
		}
		host = host[:i]
	}
	if inside, bracketed := strings.CutPrefix(host, "["); bracketed {
		inside, closed := strings.CutSuffix(inside, "]")
		return host, closed && ipv6(inside)
	}
	return host, ascii.Consists(host, "-._") // a name or an IPv4 address
}

// loopback reports whether host names this machine: localhost, 127.0.0.0/8 or [::1].
func loopback(host string) bool {
	return host == "localhost" || host == "[::1]" || strings.HasPrefix(host, "127.") && ipv4(host)
}

// ipv4 reports whether s is four decimal numbers. Clients interpret leading zeros and
// shorter forms differently.
func ipv4(s string) bool {
	count, part := 0, ""
	for more := true; more; count++ {
		part, s, more = ascii.Cut(s, ".")
		if n, ok := ascii.Digits(part, 256); !ok || n == 256 || len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return count == 4
}

// ipv6 reports whether s is an IPv6 address (RFC 4291 §2.2).
func ipv6(s string) bool {
	before, after, gap := ascii.Cut(s, "::")
	n, ok := groups(before, !gap)
	m, also := groups(after, true)
	if gap {
		return ok && also && n+m < 8
	}
	return ok && n == 8
}

// groups counts the groups of 16 bits in s. The last two may be an IPv4 address, if
// that is how the whole address ends.
func groups(s string, end bool) (n int, ok bool) {
	if s == "" {
		return 0, true
	}
	part := ""
	for more := true; more; n++ {
		part, s, more = ascii.Cut(s, ":")
		if end && !more && ipv4(part) {
			return n + 2, true
		}
		if _, ok := ascii.Hex([]byte(part), 0, len(part)); !ok || part == "" || len(part) > 4 {
			return 0, false
		}
	}
	return n, true
}
