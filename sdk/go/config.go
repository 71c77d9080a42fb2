package rostering

import (
	"maps"
	"strconv"
	"time"
)

// Environment is an environment of the service.
type Environment string

// The environments.
const (
	Stage      Environment = "stage"
	Production Environment = "production"
)

// Config says whose jobs to list and where.
type Config struct {
	// Environment selects the scope. It is optional if Scope is set.
	Environment Environment
	// AuthURL and BaseURL are the addresses of the identity provider and the service:
	// https, or http on loopback.
	AuthURL, BaseURL string

	ClientID     string
	ClientSecret Secret

	// CustomerID and UserID are sent with each request, unless a [CallOption] says
	// otherwise.
	CustomerID, UserID string

	// Scope replaces the environment's scope.
	Scope string
	// RefreshMargin is how long before its expiry a token is renewed, rounded up to
	// whole seconds. Zero means the plugin's default of a minute, negative no margin. At
	// most half of the token's lifetime is used.
	RefreshMargin time.Duration
	// AllowHTTP permits http beyond loopback, where anyone on the way can read the secret.
	AllowHTTP bool

	// Keys are keys of the plugin's config by their own names. They replace the fields.
	Keys map[string]string
}

// keys is the config as the plugin reads it. The plugin takes an empty value for a
// missing one.
func (c *Config) keys() map[string]string {
	keys := map[string]string{
		"environment":    string(c.Environment),
		"auth_url":       c.AuthURL,
		"base_url":       c.BaseURL,
		"client_id":      c.ClientID,
		"client_secret":  string(c.ClientSecret),
		"customer_id":    c.CustomerID,
		"user_id":        c.UserID,
		"scope":          c.Scope,
		"refresh_margin": c.margin(),
		"allow_http":     strconv.FormatBool(c.AllowHTTP),
	}
	maps.Copy(keys, c.Keys)
	return keys
}

func (c *Config) margin() string {
	switch {
	case c.RefreshMargin == 0:
		return ""
	case c.RefreshMargin < 0:
		return "0"
	}
	return strconv.FormatInt(int64((c.RefreshMargin+time.Second-1)/time.Second), 10)
}
