package config

import (
	"strings"

	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/percent"
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
	if _, ok := percent.Decode(address); !ok {
		return urlForm // a client would refuse that when it is to send a request
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
