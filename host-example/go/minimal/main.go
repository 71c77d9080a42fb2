// Minimal prints the jobs by a direct call with the Extism SDK, which sends the plugin's requests.
package main

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmFile{Path: os.Getenv("ROSTERING_WASM")}}, // rostering.wasm
		AllowedHosts: []string{host("ROSTERING_AUTH_URL"), host("ROSTERING_BASE_URL")},
		Config:       config(),
	}, extism.PluginConfig{
		EnableWasi:   true,
		ModuleConfig: wazero.NewModuleConfig().WithSysWalltime(), // a real clock
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	_, jobs, err := plugin.Call("list_jobs", nil)
	if err != nil {
		log.Fatal(err) // the plugin's error is a JSON object; after a trap, as without a response, it is the SDK's
	}
	fmt.Printf("%s\n", jobs)
}

// config returns the plugin's config, whose keys are the names of the variables in lower case.
func config() map[string]string {
	config := map[string]string{}
	for _, key := range []string{"environment", "auth_url", "base_url", "client_id", "client_secret", "customer_id", "user_id"} {
		config[key] = os.Getenv("ROSTERING_" + strings.ToUpper(key))
	}
	return config
}

func host(variable string) string {
	u, err := url.Parse(os.Getenv(variable))
	if err != nil {
		return ""
	}
	return u.Hostname()
}
