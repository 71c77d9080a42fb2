package config

import (
	"bytes"
	"strings"

	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/object"
)

// The ways in which an address can be wrong.
const (
	urlForm  = "must be an absolute URL such as https://host/path, without query, fragment, user info, backslash, white space or non-ASCII characters"
	urlPlain = "must begin with https://; plain http is for loopback, or with allow_http set to true"
)

// checkURL says what is wrong with an address, or "".
func checkURL(address string, allowHTTP bool) string {
	if !ascii.AllVisible(address) || strings.ContainsAny(address, `?#\`) || brokenEscape(address) {
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

// brokenEscape reports whether a % begins no escape: a client would refuse that URL
// only when it is to send a request.
func brokenEscape(address string) bool {
	rest := []byte(address)
	for at := bytes.IndexByte(rest, '%'); at >= 0; at = bytes.IndexByte(rest, '%') {
		if _, ok := object.Hex(rest, at+1, 2); !ok {
			return true
		}
		rest = rest[at+1:]
	}
	return false
}
