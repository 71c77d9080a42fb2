package rostering

import (
	"net/url"
	"slices"
	"strconv"
	"time"
)

// The environments.
const (
	Stage      = "stage"
	Production = "production"
)

// DefaultTimeout is the [Config.Timeout] of those who set none.
const DefaultTimeout = 30 * time.Second

// Config says whose jobs to list and where. The plugin judges it when it is
// first used: an [*Error] then names the key at fault.
type Config struct {
	// Environment is Stage or Production. It may be left out if Scope is set.
	Environment string
	// AuthURL and BaseURL are where the identity provider and the service
	// live: https, or http on loopback. Their hosts are the only ones that a
	// client's plugin may call; a driver's may call none.
	AuthURL, BaseURL string

	ClientID     string
	ClientSecret Secret

	// CustomerID and UserID are sent with each request, unless [JobsInput]
	// says otherwise.
	CustomerID, UserID string

	// Scope replaces the environment's scope.
	Scope string
	// RefreshMargin is how long before its expiry a token is renewed, rounded
	// up to whole seconds. Zero means the plugin's default of a minute,
	// negative means at the expiry. At most half of the lifetime is used.
	RefreshMargin time.Duration
	// AllowHTTP permits http beyond loopback, where anyone on the way can read
	// the secret.
	AllowHTTP bool

	// Timeout bounds one call with all its requests. Zero means DefaultTimeout,
	// negative none. In a [Client], the wait for other calls to end does not
	// count. A [Driver] gives a token request half of it, and then goes on
	// with the old token, if that is still valid.
	Timeout time.Duration
}

// keys is the config as the plugin reads it. It takes an empty value for a
// missing one.
func (c *Config) keys() map[string]string {
	return map[string]string{
		"environment":    c.Environment,
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

// hosts are the names that the plugin may connect to. A URL that does not parse
// adds none: the plugin says what is wrong with it.
func (c *Config) hosts() []string {
	var hosts []string
	for _, address := range []string{c.AuthURL, c.BaseURL} {
		u, err := url.Parse(address)
		if err == nil && u.Hostname() != "" && !slices.Contains(hosts, u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

func (c *Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return DefaultTimeout
	}
	return c.Timeout
}
