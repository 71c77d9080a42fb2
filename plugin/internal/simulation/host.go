//go:build !tinygo

package simulation

import (
	"encoding/binary"
	"maps"

	"automatic-rostering/plugin/internal/call"
)

// host keeps in memory what a host keeps for one instance of the core.
type host struct {
	config map[string]string
	vars   map[string][]byte
	held   []byte
	room   int   // for vars, in bytes; 0 without a limit
	clock  int64 // 0 without one
	logs   *[]string
}

var _ call.Host = (*host)(nil)

func newHost(config map[string]string) *host {
	return &host{config: config, vars: map[string][]byte{}}
}

func (h *host) Config(key string) string { return h.config[key] }
func (h *host) Var(name string) []byte   { return h.vars[name] }
func (h *host) Now() int64               { return h.clock }

// lost is what a host panics with where a real one ends the call.
type lost struct{}

func (h *host) SetVar(name string, value []byte) {
	if len(value) == 0 {
		delete(h.vars, name)
		return
	}
	if h.room > 0 {
		sum := len(value)
		for other, v := range h.vars {
			if other != name {
				sum += len(v)
			}
		}
		if sum > h.room {
			panic(lost{})
		}
	}
	h.vars[name] = value
}

func (h *host) Words(name string) (first, second uint64, ok bool) {
	b := h.vars[name]
	if len(b) < 16 {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), true
}

func (h *host) Hold(name string) bool {
	h.held = h.vars[name]
	return h.held != nil
}

func (h *host) Log(_ call.Level, line string) {
	if h.logs != nil {
		*h.logs = append(*h.logs, line)
	}
}

func (h *host) LogVar(name string) bool {
	line, ok := h.vars[name]
	if ok && h.logs != nil {
		*h.logs = append(*h.logs, string(line))
	}
	return ok
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
