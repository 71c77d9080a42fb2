package rostering_test

import (
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
)

var fullConfig = rostering.Config{
	Environment: rostering.Stage, AuthURL: "https://login.example.com", BaseURL: "https://rostering.example.com",
	ClientID: "client", ClientSecret: "the-client-secret", CustomerID: "customer", UserID: "user",
}

func TestConfigAtOpen(t *testing.T) {
	onlyToken := fullConfig
	onlyToken.BaseURL, onlyToken.CustomerID, onlyToken.UserID = "", "", ""
	onlyToken.RefreshMargin = 1500 * time.Millisecond
	newClient(t, onlyToken) // GetToken needs no more
	for key, tt := range map[string]struct {
		code   rostering.Code
		change func(*rostering.Config)
	}{
		"auth_url":      {rostering.CodeConfigMissing, func(c *rostering.Config) { c.AuthURL = "" }},
		"client_secret": {rostering.CodeConfigInvalid, func(c *rostering.Config) { c.ClientSecret = "s3cr3t\n" }},
		"environment":   {rostering.CodeConfigInvalid, func(c *rostering.Config) { c.Environment = "test" }},
		"base_url":      {rostering.CodeConfigInvalid, func(c *rostering.Config) { c.BaseURL = "rostering.example.com" }},
		"customer_id":   {rostering.CodeConfigInvalid, func(c *rostering.Config) { c.CustomerID = "\u00fc" }},
	} {
		config := fullConfig
		tt.change(&config)
		_, err := rostering.New(t.Context(), config)
		e := wantError(t, err, tt.code)
		if e.Key != key || e.Retryable || strings.Contains(e.Error(), "s3cr3t") {
			t.Errorf("%s: the error is %+v", key, e)
		}
	}
}

func TestConfigFromEnv(t *testing.T) {
	set := func(name, value string) { t.Setenv("ROSTERING_"+name, value) }
	for name, value := range map[string]string{
		"ENVIRONMENT": "stage", "AUTH_URL": "https://login.example.com", "BASE_URL": "https://rostering.example.com",
		"CLIENT_ID": "client", "CLIENT_SECRET": "the-client-secret", "CUSTOMER_ID": "customer", "USER_ID": "user",
		"SCOPE": "", "REFRESH_MARGIN": "", "ALLOW_HTTP": "", "SERVICE_HOST": "10.0.0.1", // as Kubernetes sets it
	} {
		set(name, value)
	}
	if config, err := rostering.ConfigFromEnv(); err != nil || config != fullConfig {
		t.Errorf("the config is %+v, %v", config, err)
	}
	set("SCOPE", "a b")
	set("ALLOW_HTTP", "true")
	for seconds, want := range map[string]time.Duration{
		"90": 90 * time.Second, "0": -1, "99999999999999999999999": 9223372036 * time.Second,
	} {
		set("REFRESH_MARGIN", seconds)
		config, err := rostering.ConfigFromEnv()
		if err != nil || config.Scope != "a b" || !config.AllowHTTP || config.RefreshMargin != want {
			t.Errorf("the config is %+v, %v", config, err)
		}
		newClient(t, config)
	}
	for name, value := range map[string]string{"ALLOW_HTTP": "yes", "REFRESH_MARGIN": "1.5"} {
		set(name, value)
		_, err := rostering.ConfigFromEnv()
		e := wantError(t, err, rostering.CodeConfigInvalid)
		if !strings.Contains(e.Message, "ROSTERING_"+name) || e.Key != strings.ToLower(name) {
			t.Errorf("the error is %+v", e)
		}
		set(name, "")
	}
}
