//go:build !tinygo

package model

import (
	"maps"

	"automatic-rostering/plugin/core/memory"
)

// host is one instance of the core.
type host struct {
	*memory.Host
	room int // for vars, in bytes; 0 without a limit
}

// lost is what a host panics with when a real one would end the call.
type lost struct{}

func newHost(config map[string]string) *host {
	h := &host{Host: memory.New(config)}
	h.Keeps = func(name string, value []byte) bool {
		if h.room > 0 && len(value) > 0 && h.SizeWith(name, value) > h.room {
			panic(lost{})
		}
		return true
	}
	return h
}

// configOf returns the config of a client.
func configOf(client, secret string) map[string]string {
	return map[string]string{
		"environment": "stage", "auth_url": "https://auth.example/" + client, "base_url": "https://" + client + ".example",
		"client_id": client, "client_secret": secret, "customer_id": "customer", "user_id": "user",
	}
}

func with(config map[string]string, key, value string) map[string]string {
	config = maps.Clone(config)
	config[key] = value
	return config
}
