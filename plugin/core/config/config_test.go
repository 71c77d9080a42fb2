package config_test

import (
	"maps"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/input"
)

// keys is a host's config.
type keys map[string]string

func (k keys) get(key string) string { return k[key] }

// with is a valid config with changes.
func with(changes keys) keys {
	all := keys{
		"environment":   "stage",
		"auth_url":      "https://auth.example",
		"base_url":      "https://api.example",
		"client_id":     "id",
		"client_secret": "secret",
		"customer_id":   "c",
		"user_id":       "u",
	}
	maps.Copy(all, changes)
	return all
}

// readAll validates all config of a call without input.
func readAll(get config.Lookup) *apierror.Error {
	if _, err := config.ReadClient(get); err != nil {
		return err
	}
	_, err := config.ReadService(get, &input.Input{})
	return err
}

func checkError(t *testing.T, err *apierror.Error, code, key string) {
	t.Helper()
	switch {
	case err == nil && code == "":
	case err == nil:
		t.Errorf("accepted, want %s about %s", code, key)
	case err.Code != code || err.Key != key || err.Retryable:
		t.Errorf("got %s about %q, retryable %v, want %q about %q", err.Code, err.Key, err.Retryable, code, key)
	case err.Message == "":
		t.Error("no message")
	}
}

const missing, invalid = apierror.ConfigMissing, apierror.ConfigInvalid

func TestConfigIsValidated(t *testing.T) {
	for _, tt := range []struct {
		name    string
		changes keys
		code    string
		key     string
	}{
		{"all that is needed", nil, "", ""},
		{"no auth_url", keys{"auth_url": ""}, missing, "auth_url"},
		{"no base_url", keys{"base_url": ""}, missing, "base_url"},
		{"no client_id", keys{"client_id": ""}, missing, "client_id"},
		{"no client_secret", keys{"client_secret": ""}, missing, "client_secret"},
		{"no customer_id", keys{"customer_id": ""}, missing, "customer_id"},
		{"no user_id", keys{"user_id": ""}, missing, "user_id"},
		{"neither environment nor scope", keys{"environment": ""}, missing, "environment"},
		{"the other environment", keys{"environment": "production"}, "", ""},
		{"an unknown environment", keys{"environment": "test"}, invalid, "environment"},
		{"an environment in capitals", keys{"environment": "Stage"}, invalid, "environment"},
		{"an environment with a newline", keys{"environment": "stage\n"}, invalid, "environment"},
		{"an unknown environment and a scope", keys{"environment": "prod", "scope": "s"}, invalid, "environment"},
		{"a scope instead of an environment", keys{"environment": "", "scope": "s"}, "", ""},
		{"a scope with spaces", keys{"scope": "a b"}, "", ""},
		{"a scope with a tab", keys{"scope": "a\tb"}, invalid, "scope"},
		{"a scope with a newline", keys{"scope": "a\n"}, invalid, "scope"},
		{"a scope beyond ASCII", keys{"scope": "é"}, invalid, "scope"},
		{"client_id with a newline", keys{"client_id": "id\n"}, invalid, "client_id"},
		{"client_id with NUL", keys{"client_id": "\x00"}, invalid, "client_id"},
		{"client_secret with a newline", keys{"client_secret": "secret\n"}, invalid, "client_secret"},
		{"client_secret with a carriage return", keys{"client_secret": "secret\r"}, invalid, "client_secret"},
		{"client_secret with a tab", keys{"client_secret": "a\tb"}, invalid, "client_secret"},
		{"client_secret with DEL", keys{"client_secret": "a\x7f"}, invalid, "client_secret"},
		{"client_secret with a space and beyond ASCII", keys{"client_secret": " ü%& "}, "", ""},
		{"an id with a space inside", keys{"customer_id": "a b"}, "", ""},
		{"an id of 256 bytes", keys{"customer_id": strings.Repeat("c", 256)}, "", ""},
		{"customer_id of 257 bytes", keys{"customer_id": strings.Repeat("c", 257)}, invalid, "customer_id"},
		{"user_id of 257 bytes", keys{"user_id": strings.Repeat("u", 257)}, invalid, "user_id"},
		{"customer_id with a space before", keys{"customer_id": " a"}, invalid, "customer_id"},
		{"customer_id with a newline", keys{"customer_id": "a\n"}, invalid, "customer_id"},
		{"user_id with a space behind", keys{"user_id": "a "}, invalid, "user_id"},
		{"user_id beyond ASCII", keys{"user_id": "é"}, invalid, "user_id"},
		{"user_id that splits a header", keys{"user_id": "a\r\nX: y"}, invalid, "user_id"},
		{"allow_http true", keys{"allow_http": "true"}, "", ""},
		{"allow_http false", keys{"allow_http": "false"}, "", ""},
		{"allow_http 1", keys{"allow_http": "1"}, invalid, "allow_http"},
		{"allow_http True", keys{"allow_http": "True"}, invalid, "allow_http"},
		{"allow_http with a newline", keys{"allow_http": "true\n"}, invalid, "allow_http"},
		{"auth_url that is not a URL", keys{"auth_url": "auth.example"}, invalid, "auth_url"},
		{"base_url that is not a URL", keys{"base_url": "api.example"}, invalid, "base_url"},
		{"plain http to the token endpoint", keys{"auth_url": "http://auth.example"}, invalid, "auth_url"},
		{"plain http to the service", keys{"base_url": "http://api.example"}, invalid, "base_url"},
		{"plain http that is allowed", keys{"base_url": "http://api.example", "allow_http": "true"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkError(t, readAll(with(tt.changes).get), tt.code, tt.key)
		})
	}
}

func TestATokenNeedsNoServiceConfig(t *testing.T) {
	_, err := config.ReadClient(with(keys{"base_url": "", "customer_id": "", "user_id": "\n"}).get)
	checkError(t, err, "", "")
}

func TestScope(t *testing.T) {
	for _, tt := range []struct{ name, environment, scope, want string }{
		{"stage", "stage", "", "automatic-rostering-stage"},
		{"production", "production", "", "automatic-rostering-prod"},
		{"an own scope wins", "stage", "mine", "mine"},
		{"a custom scope alone", "", "mine and yours", "mine and yours"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := config.ReadClient(with(keys{"environment": tt.environment, "scope": tt.scope}).get)
			if err != nil || c.Scope != tt.want {
				t.Errorf("got %q, %v, want %q", c.Scope, err, tt.want)
			}
		})
	}
}

func TestRefreshMargin(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        int64
		code        string
	}{
		{"missing: a minute", "", 60, ""},
		{"zero", "0", 0, ""},
		{"one", "1", 1, ""},
		{"a day", "86400", 86400, ""},
		{"more than any token lives", "86401", 86400, ""},
		{"more than 64 bits", "99999999999999999999", 86400, ""},
		{"negative", "-1", 0, invalid},
		{"a fraction", "1.5", 0, invalid},
		{"a unit", "60s", 0, invalid},
		{"a newline", "60\n", 0, invalid},
		{"white space", " ", 0, invalid},
		{"an exponent", "6e1", 0, invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := config.ReadClient(with(keys{"refresh_margin": tt.value}).get)
			checkError(t, err, tt.code, "refresh_margin")
			if err == nil && c.Margin != tt.want {
				t.Errorf("Margin = %d, want %d", c.Margin, tt.want)
			}
		})
	}
}

func TestCredentialsAreNotTrimmed(t *testing.T) {
	c, err := config.ReadClient(with(keys{"client_id": " id ", "client_secret": "  "}).get)
	if err != nil || c.ID != " id " || c.Secret != "  " {
		t.Errorf("got %q, %q, %v", c.ID, c.Secret, err)
	}
}

func TestNoMessageContainsTheSecret(t *testing.T) {
	err := readAll(with(keys{"client_secret": "hunter2\n"}).get)
	checkError(t, err, invalid, "client_secret")
	got := string(err.AppendJSON(nil))
	if strings.Contains(got, "hunter2") || !strings.Contains(got, "newline") {
		t.Errorf("got %s; it must speak of the newline, and not hold the secret", got)
	}
}
