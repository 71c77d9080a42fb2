package rostering

import (
	"errors"
	"math"
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
}

// fieldOf returns the name of the field for a config key: that of auth_url is AuthURL.
func fieldOf(key string) string {
	name := strings.ReplaceAll(key, "_", "")
	field, _ := reflect.TypeFor[Config]().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	return field.Name
}

// ConfigFromEnv reads a config from the environment variables ROSTERING_ENVIRONMENT,
// ROSTERING_AUTH_URL, ROSTERING_BASE_URL, ROSTERING_CLIENT_ID, ROSTERING_CLIENT_SECRET,
// ROSTERING_CUSTOMER_ID, ROSTERING_USER_ID, ROSTERING_SCOPE, ROSTERING_REFRESH_MARGIN (whole
// seconds) and ROSTERING_ALLOW_HTTP (true or false). An empty variable counts as missing.
func ConfigFromEnv() (Config, error) {
	margin, err := parseMargin(os.Getenv("ROSTERING_REFRESH_MARGIN"))
	allowHTTP, err2 := parseAllowHTTP(os.Getenv("ROSTERING_ALLOW_HTTP"))
	if err == nil {
		err = err2
	}
	if err != nil {
		return Config{}, err
	}
	return Config{
		Environment:   Environment(os.Getenv("ROSTERING_ENVIRONMENT")),
		AuthURL:       os.Getenv("ROSTERING_AUTH_URL"),
		BaseURL:       os.Getenv("ROSTERING_BASE_URL"),
		ClientID:      os.Getenv("ROSTERING_CLIENT_ID"),
		ClientSecret:  Secret(os.Getenv("ROSTERING_CLIENT_SECRET")),
		CustomerID:    os.Getenv("ROSTERING_CUSTOMER_ID"),
		UserID:        os.Getenv("ROSTERING_USER_ID"),
		Scope:         os.Getenv("ROSTERING_SCOPE"),
		RefreshMargin: margin,
		AllowHTTP:     allowHTTP,
	}, nil
}

func parseMargin(seconds string) (time.Duration, error) {
	if seconds == "" {
		return 0, nil
	}
	const most = uint64(math.MaxInt64 / time.Second)
	n, err := strconv.ParseUint(seconds, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || n > most:
		n = most // more than any token's lifetime anyway
	case err != nil:
		return 0, &Error{
			Code: CodeConfigInvalid, Key: "refresh_margin",
			Message: "ROSTERING_REFRESH_MARGIN must be a non-negative integer (seconds)",
		}
	case n == 0:
		return -1, nil
	}
	return time.Duration(n) * time.Second, nil
}

func parseAllowHTTP(value string) (bool, error) {
	switch value {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, &Error{
		Code: CodeConfigInvalid, Key: "allow_http", Message: "ROSTERING_ALLOW_HTTP must be true or false",
	}
}

// keys returns the config as the plugin reads it: an empty value counts as missing.
func (c *Config) keys() map[string]string {
	return map[string]string{
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
}

func (c *Config) margin() string {
	switch {
	case c.RefreshMargin == 0:
		return ""
	case c.RefreshMargin < 0:
		return "0"
	}
	seconds := c.RefreshMargin / time.Second
	if c.RefreshMargin%time.Second > 0 {
		seconds++
	}
	return strconv.FormatInt(int64(seconds), 10)
}
