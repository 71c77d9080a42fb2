// Package config reads and validates the host's config.
package config

import (
	"strings"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/input"
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

// ReadClient reads and validates all config that a token request needs.
func ReadClient(get Lookup) (c *Client, err *apierror.Error) {
	c = &Client{}
	if c.Scope, err = scope(get); err != nil {
		return c, err
	}
	auth, err := BaseURL(get, "auth_url")
	if err != nil {
		return c, err
	}
	c.TokenURL = auth + "/connect/token"
	if c.ID, err = credential(get, "client_id"); err != nil {
		return c, err
	}
	if c.Secret, err = credential(get, "client_secret"); err != nil {
		return c, err
	}
	c.Margin, err = margin(get)
	return c, err
}

// Check validates all config: what every call needs must be set, all of which the error names,
// and what is set must be valid.
func Check(get Lookup) *apierror.Error {
	_, err := ReadClient(get)
	if err != nil && err.Code == apierror.ConfigMissing {
		for _, key := range [...]string{"auth_url", "client_id", "client_secret"} {
			if key != err.Key && get(key) == "" {
				err.Message += "; also set " + key
			}
		}
	}
	if err == nil && get("base_url") != "" {
		_, err = BaseURL(get, "base_url")
	}
	for _, key := range [...]string{"customer_id", "user_id"} {
		if err == nil && get(key) != "" {
			_, err = ID(get, key, &input.ID{})
		}
	}
	return err
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
			return "", apierror.Missing("environment", "set environment to stage or production")
		}
	default:
		return "", apierror.Config("environment", "environment must be stage or production")
	}
	if own == "" {
		return known, nil
	}
	if !ascii.Spaced(own) {
		return "", apierror.Config("scope", "scope must be visible ASCII characters and spaces")
	}
	return own, nil
}

// BaseURL returns auth_url or base_url, without a trailing slash.
func BaseURL(get Lookup, key string) (string, *apierror.Error) {
	value := get(key)
	if value == "" {
		return "", apierror.Missing(key, "set "+key+" to the https URL")
	}
	allowHTTP := get("allow_http")
	if allowHTTP != "" && allowHTTP != "true" && allowHTTP != "false" {
		return "", apierror.Config("allow_http", "allow_http must be true or false")
	}
	if wrong := checkURL(value, allowHTTP == "true"); wrong != "" {
		return "", apierror.Config(key, key+" "+wrong)
	}
	value = strings.TrimRight(value, "/")
	if key == "auth_url" && strings.HasSuffix(value, "/connect/token") {
		return "", apierror.Config(key, "auth_url must not end in /connect/token, which is appended")
	}
	return value, nil
}

func credential(get Lookup, key string) (string, *apierror.Error) {
	value := get(key)
	if value == "" {
		return "", apierror.Missing(key, "set "+key+" (see the service's developer portal)")
	}
	if ascii.HasControl(value) {
		return "", apierror.Config(key, key+" contains a control character; if read from a file, trim the trailing newline")
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
		return 0, apierror.Config("refresh_margin", "refresh_margin must be a non-negative integer (seconds)")
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
		return "", apierror.Missing(key, "set "+key+" in the config or for the call; null (None, nil) for the call omits the header")
	}
	if !input.ValidID(value) {
		return "", apierror.Config(key, input.IDMessage)
	}
	return value, nil
}
