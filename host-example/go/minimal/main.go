// Minimal prints the jobs by a direct call with the Extism SDK, which sends the plugin's requests. With the argument call, it
// makes the calls that it reads from standard input, for the tests of the plugin.
package main

import (
	"context"
	"encoding/json"
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
	if len(os.Args) > 1 && os.Args[1] == "call" {
		if err := call(ctx, os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	// snippet
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
		log.Fatal(explain(plugin.GetError(), err))
	}
	fmt.Printf("%s\n", jobs)
	// end of snippet
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

// explain returns the message of the plugin's error, a JSON object. Without one, the call ended in a
// trap, as when a request gets no response, and the error is the SDK's.
func explain(object string, trap error) string {
	var e struct{ Code, Message string }
	if json.Unmarshal([]byte(object), &e) == nil {
		return e.Code + ": " + e.Message
	}
	reason, _, _ := strings.Cut(trap.Error(), "\n") // a stack trace follows
	return "network_error: " + reason
}
