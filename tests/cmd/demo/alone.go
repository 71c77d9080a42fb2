package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	extism "github.com/extism/go-sdk"
)

// alone calls the plugin through its SDK, with nothing of ours: it sends its requests by
// itself.
func alone(d *demo, ctx context.Context) error {
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmFile{Path: d.wasm}},
		AllowedHosts: []string{"127.0.0.1"},
		Config: map[string]string{
			"environment": string(d.config.Environment), "auth_url": d.config.AuthURL, "base_url": d.config.BaseURL,
			"client_id": d.config.ClientID, "client_secret": string(d.config.ClientSecret),
			"customer_id": d.config.CustomerID, "user_id": d.config.UserID,
		},
	}, extism.PluginConfig{}, nil)
	if err != nil {
		return err
	}
	defer plugin.Close(context.WithoutCancel(ctx))
	d.line(1, d.faint("as on the wire, where Go's HTTP client writes CUSTOMER_ID as Customer_id, which means the same"))
	return d.call(`plugin.Call("list_jobs", {"now": …})`, true, func() (string, error) {
		_, jobs, err := plugin.Call("list_jobs", fmt.Appendf(nil, `{"now":%d}`, time.Now().Unix()))
		if text := plugin.GetError(); err != nil && text != "" {
			err = errors.New(text)
		}
		return fmt.Sprintf("the service's response: %d bytes", len(jobs)), err
	})
}
