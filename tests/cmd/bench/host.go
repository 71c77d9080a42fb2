package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	extism "github.com/extism/go-sdk"
)

// host is go-sdk with the plugin, which has a token, and with a plugin that does nothing.
type host struct {
	plugin, empty *extism.Plugin
	flow          json.RawMessage // of a request to the service
}

const now = 1_800_000_000

// begin is what a library calls: all that it accepts, and the time.
func begin(call string) string {
	return fmt.Sprintf(`{"call":%q,"accepts":["wait","store"],"input":{"now":%d}}`, call, now)
}

// calls are those that are measured.
var calls = []struct {
	name string
	make func(h *host) error
}{
	{"an export that does nothing", func(h *host) error { return call(h.empty, "empty", "") }},
	{"get_token, warm", func(h *host) error { return call(h.plugin, "get_token", fmt.Sprintf(`{"now":%d}`, now)) }},
	{"begin of a list_jobs, warm: all that a library calls", func(h *host) error { return call(h.plugin, "begin", begin("list_jobs")) }},
	{"begin of a get_token, warm: the same", func(h *host) error { return call(h.plugin, "begin", begin("get_token")) }},
	{"resume after a 2xx, where it is not the last step", func(h *host) error {
		return call(h.plugin, "resume", fmt.Sprintf(`{"flow":%s,"status":200,"now":%d}`, h.flow, now))
	}},
}

// warmGetToken is the peer of the others.
const warmGetToken = 1

func call(p *extism.Plugin, export, input string) error {
	status, _, err := p.Call(export, []byte(input))
	if err == nil && status != 0 {
		err = errors.New(p.GetError())
	}
	return err
}

// nothing is a module with one export, which returns 0.
var nothing = []byte("\x00asm\x01\x00\x00\x00" + // version 1
	"\x01\x05\x01\x60\x00\x01\x7f" + // types: () -> i32
	"\x03\x02\x01\x00" + // functions: one of that type
	"\x05\x03\x01\x00\x01" + // memories: one of a page
	"\x07\x12\x02\x05empty\x00\x00\x06memory\x02\x00" + // exports
	"\x0a\x06\x01\x04\x00\x41\x00\x0b") // code: i32.const 0

func open(ctx context.Context, wasm string) (*host, error) {
	empty, err := extism.NewPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: nothing}}}, extism.PluginConfig{}, nil)
	if err != nil {
		return nil, err
	}
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmFile{Path: wasm}},
		Config: map[string]string{
			"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://service.example",
			"client_id": "client", "client_secret": "the-secret", "customer_id": "c", "user_id": "u",
		},
	}, extism.PluginConfig{}, nil)
	if err != nil {
		return nil, err
	}
	h := &host{plugin: plugin, empty: empty}
	return h, h.warm()
}

// warm returns the plugin a token, and has it prepare what it keeps.
func (h *host) warm() error {
	_, key, err := h.plugin.Call("begin", []byte(begin("get_token")))
	if err != nil {
		return err
	}
	var store struct{ Key string } // the first step reads the token from the store
	if err := json.Unmarshal(key, &store); err != nil {
		return err
	}
	token := fmt.Sprintf(`{"access_token":%q,"expires_at":%d,"cache_key":%q,"now":%d}`, strings.Repeat("t", 900), now+3600, store.Key, now)
	if err := call(h.plugin, "set_token", token); err != nil {
		return err
	}
	return h.prepare()
}

func (h *host) prepare() error {
	for _, name := range []string{"get_token", "list_jobs", "list_jobs"} {
		_, output, err := h.plugin.Call("begin", []byte(begin(name)))
		var s struct {
			Flow json.RawMessage
			Last bool
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(output, &s); err != nil {
			return err
		}
		if h.flow = s.Flow; name == "list_jobs" && !s.Last {
			return fmt.Errorf("not a warm step: %.200s", output)
		}
	}
	return nil
}

func (h *host) close(ctx context.Context) {
	h.plugin.Close(ctx)
	h.empty.Close(ctx)
}
