// Minimal is the shortest program that uses the plugin; README.md shows it.
package main

import (
	"context"
	"fmt"
	"log"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

func main() {
	ctx := context.Background()
	// snippet
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmFile{Path: "dist/rostering.wasm"}},
		AllowedHosts: []string{"login.example.com", "rostering.example.com"},
		Config: map[string]string{
			"environment": "stage", "client_id": "…", "client_secret": "…", "customer_id": "…", "user_id": "…",
			"auth_url": "https://login.example.com", "base_url": "https://rostering.example.com",
		},
	}, extism.PluginConfig{
		EnableWasi:   true,
		ModuleConfig: wazero.NewModuleConfig().WithSysWalltime(), // a real clock
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	_, jobs, err := plugin.Call("list_jobs", nil)
	if err != nil {
		log.Fatal(err) // a JSON object that says what to do
	}
	fmt.Printf("%s\n", jobs)
	// end of snippet
}
