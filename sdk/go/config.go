package rostering

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Environment is an environment of the service.
type Environment string

// The environments.
const (
	Stage      Environment = "stage"
	Production Environment = "production"
)

// Config holds the URLs, the credentials and the ids that a client uses.
type Config struct {
	// Environment selects the scope. It is optional if Scope is set.
	Environment Environment
	// AuthURL and BaseURL are the URLs of the identity provider and the service: https,
	// or http on loopback.
	AuthURL, BaseURL string

	ClientID     string
	ClientSecret Secret

	// CustomerID and UserID are sent with each request, unless a view replaces them: see
	// [Client.ForCustomer] and [Client.ForUser].
	CustomerID, UserID string

	// Scope replaces the environment's scope.
	Scope string
	// RefreshMargin is how long before its expiry a token is renewed, rounded up to whole
	// seconds and at most half of the token's lifetime. Zero means the default of 1
	// minute; a negative value means no margin.
	RefreshMargin time.Duration
	// AllowHTTP permits http beyond loopback, where anyone on the network path can read
	// the secret.
	AllowHTTP bool

	// What ConfigFromEnv cannot express in the fields, for the plugin to check.
	rawMargin, rawAllowHTTP string
	wrongSecretFile         string // what is wrong with the file of the secret
}

// fieldOf returns the name of the field for a config key: that of auth_url is AuthURL.
func fieldOf(key string) string {
	name := strings.ReplaceAll(key, "_", "")
	field, _ := reflect.TypeFor[Config]().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	return field.Name
}

// ConfigFromEnv reads a config from environment variables: one for each field, such as
// ROSTERING_AUTH_URL, ROSTERING_REFRESH_MARGIN (whole seconds) and ROSTERING_ALLOW_HTTP (true or
// false). An empty variable counts as missing. In place of the secret, ROSTERING_CLIENT_SECRET_FILE
// may name a file that has it. [New] names all that are missing or invalid.
func ConfigFromEnv() Config {
	var c Config
	for key, value := range c.strings() {
		*value = os.Getenv("ROSTERING_" + strings.ToUpper(key))
	}
	c.ClientSecret = NewSecret(os.Getenv("ROSTERING_CLIENT_SECRET"))
	if seconds, err := strconv.ParseUint(c.rawMargin, 10, 32); err == nil {
		c.RefreshMargin, c.rawMargin = cmp.Or(time.Duration(seconds)*time.Second, -1), ""
	}
	if c.rawAllowHTTP == "true" {
		c.AllowHTTP, c.rawAllowHTTP = true, ""
	}
	if file := os.Getenv(secretFile); file != "" && c.ClientSecret != (Secret{}) {
		c.ClientSecret, c.wrongSecretFile = Secret{}, " and ROSTERING_CLIENT_SECRET are both set: unset one of them"
	} else if file != "" {
		c.readSecret(file)
	}
	return c
}

// strings returns the keys that the plugin reads, except the secret, each with the field of its string.
func (c *Config) strings() map[string]*string {
	return map[string]*string{
		"environment":    (*string)(&c.Environment),
		"auth_url":       &c.AuthURL,
		"base_url":       &c.BaseURL,
		"client_id":      &c.ClientID,
		"customer_id":    &c.CustomerID,
		"user_id":        &c.UserID,
		"scope":          &c.Scope,
		"refresh_margin": &c.rawMargin,
		"allow_http":     &c.rawAllowHTTP,
	}
}

// keys returns the config as the plugin reads it.
func (c *Config) keys() map[string]string {
	keys := map[string]string{}
	if secret := c.ClientSecret.Expose(); secret != "" {
		keys["client_secret"] = secret
	}
	for key, value := range c.strings() {
		if *value != "" {
			keys[key] = *value
		}
	}
	if c.AllowHTTP {
		keys["allow_http"] = "true"
	}
	switch {
	case c.RefreshMargin < 0:
		keys["refresh_margin"] = "0"
	case c.RefreshMargin > 0:
		keys["refresh_margin"] = fmt.Sprint(int64((c.RefreshMargin-1)/time.Second + 1))
	}
	return keys
}
