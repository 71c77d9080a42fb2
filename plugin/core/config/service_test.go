package config_test

import (
	"testing"

	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/input"
)

func TestIDs(t *testing.T) {
	omitted := input.ID{Omitted: true}
	for _, tt := range []struct {
		name     string
		customer string // of the config
		in       input.ID
		want     string
		code     string
	}{
		{"of the config", "c", input.ID{}, "c", ""},
		{"of the input, which wins", "c", input.ID{Text: "i"}, "i", ""},
		{"only in the input", "", input.ID{Text: "i"}, "i", ""},
		{"omitted", "c", omitted, "", ""},
		{"omitted, without config", "", omitted, "", ""},
		{"nowhere", "", input.ID{}, "", missing},
		{"wrong in the config, but not needed", "\n", input.ID{Text: "i"}, "i", ""},
		{"invalid in the config, but omitted", "\n", omitted, "", ""},
		{"wrong in the config", "\n", input.ID{}, "", invalid},
	} {
		t.Run("customer_id "+tt.name, func(t *testing.T) {
			s, err := config.ReadService(with(keys{"customer_id": tt.customer}).get, &input.Input{Customer: tt.in})
			checkError(t, err, tt.code, "customer_id")
			if err == nil && (s.CustomerID != tt.want || s.UserID != "u") {
				t.Errorf("got %q and %q", s.CustomerID, s.UserID)
			}
		})
		t.Run("user_id "+tt.name, func(t *testing.T) {
			s, err := config.ReadService(with(keys{"user_id": tt.customer}).get, &input.Input{User: tt.in})
			checkError(t, err, tt.code, "user_id")
			if err == nil && (s.UserID != tt.want || s.CustomerID != "c") {
				t.Errorf("got %q and %q", s.CustomerID, s.UserID)
			}
		})
	}
}

func TestPathsAreAppendedToURLs(t *testing.T) {
	for _, tt := range []struct{ name, address, base string }{
		{"a host alone", "https://host", "https://host"},
		{"a trailing slash", "https://host/", "https://host"},
		{"a prefix", "https://host/a/b", "https://host/a/b"},
		{"a prefix and a trailing slash", "https://host/a/b/", "https://host/a/b"},
		{"a port", "https://host:8443", "https://host:8443"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := with(keys{"auth_url": tt.address, "base_url": tt.address})
			c, err := config.ReadClient(all.get)
			if err != nil || c.TokenURL != tt.base+"/connect/token" {
				t.Errorf("TokenURL = %q, %v", c.TokenURL, err)
			}
			s, err := config.ReadService(all.get, &input.Input{})
			if err != nil || s.BaseURL != tt.base {
				t.Errorf("BaseURL = %q, %v", s.BaseURL, err)
			}
		})
	}
}
