// Package config reads and validates the host's config.
package config

import (
	"unicode/utf8"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
)

// Lookup returns the value of a config key, or "" if it is missing.
type Lookup func(key string) string

// Client is what a token request needs.
type Client struct {
	TokenURL string
	ID       string
	Secret   string
	Scope    string
	// Margin is how many seconds before its expiry a token is renewed.
	Margin int64
}

const (
	defaultMargin = 60
	maxMargin     = 86400 // no longer lifetime is accepted
)

// ReadClient reads and validates all config that a token request needs. The error names all that
// is missing or invalid.
func ReadClient(get Lookup) (c *Client, all *apierror.Error) {
	c = &Client{}
	c.Scope, all = scope(get)
	allowHTTP := get("allow_http")
	auth, err := baseURL(get, "auth_url", allowHTTP)
	all = apierror.Join(all, err)
	c.TokenURL = auth + "/connect/token"
	c.ID, err = credential(get, "client_id")
	all = apierror.Join(all, err)
	c.Secret, err = credential(get, "client_secret")
	all = apierror.Join(all, err)
	c.Margin, err = margin(get)
	all = apierror.Join(all, err)
	if allowHTTP != "" && allowHTTP != "true" && allowHTTP != "false" {
		all = apierror.Join(all, apierror.Config("allow_http", " must be true or false"))
	}
	return c, all
}

// Check implements the export check.
func Check(h host.Host, rawInput []byte) host.Result {
	err := input.Nothing(rawInput)
	if err == nil {
		err = Validate(h.Config)
	}
	if err != nil {
		return host.Fail(err)
	}
	return host.Result{}
}

// Validate validates all config: what every call needs must be set, and what is set must be valid.
func Validate(get Lookup) *apierror.Error {
	_, all := ReadClient(get)
	if get("base_url") != "" {
		_, err := BaseURL(get)
		all = apierror.Join(all, err)
	}
	for _, key := range [...]string{"customer_id", "user_id"} {
		if get(key) != "" {
			_, err := ID(get, key, &input.ID{})
			all = apierror.Join(all, err)
		}
	}
	return all
}

// The scopes of the two environments.
const (
	stage      = "automatic-rostering-stage"
	production = "automatic-rostering-prod"
)

func scope(get Lookup) (string, *apierror.Error) {
	var known string
	environment, own := get("environment"), get("scope")
	switch environment {
	case "stage":
		known = stage
	case "production":
		known = production
	case "":
		if own == "" {
			return "", apierror.Missing("environment", " to stage or production")
		}
	default:
		return "", apierror.Config("environment", " must be stage or production")
	}
	if own == "" {
		return known, nil
	}
	if !ascii.Spaced(own) {
		return "", apierror.Config("scope", " must be visible ASCII characters and spaces")
	}
	return own, nil
}

func credential(get Lookup, key string) (string, *apierror.Error) {
	value := get(key)
	if value == "" {
		return "", apierror.Missing(key, " (see the service's developer portal)")
	}
	if ascii.HasControl(value) {
		return "", apierror.Config(key, " contains a control character; if read from a file, trim the trailing newline")
	}
	for text := []byte(value); len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError { // which decoders write in place of what they cannot read
			return "", apierror.Config(key, " could not be decoded; read it as UTF-8")
		}
		text = text[size:]
	}
	return value, nil
}

func margin(get Lookup) (int64, *apierror.Error) {
	value := get("refresh_margin")
	if value == "" {
		return defaultMargin, nil
	}
	seconds, ok := ascii.Digits(value, maxMargin)
	if !ok {
		return 0, apierror.Config("refresh_margin", " must be a non-negative integer (seconds)")
	}
	return seconds, nil
}

// ID returns customer_id or user_id, or "" if its header is not sent. That of the input takes
// precedence.
func ID(get Lookup, key string, in *input.ID) (string, *apierror.Error) {
	if in.Omitted || in.Text != "" {
		return in.Text, nil
	}
	value := get(key)
	if value == "" {
		return "", apierror.Missing(key, " in the config or the call, or null (None, nil) in the call")
	}
	if !input.ValidID(value) {
		return "", apierror.Config(key, input.IDMessage)
	}
	return value, nil
}
