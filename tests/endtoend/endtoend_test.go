// Package endtoend runs the built plugin in Extism's SDK with the identity provider and the service of the sandbox.
// Scenarios have the rules, and tests/cmd/demo shows the library with the same provider.
package endtoend

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"automatic-rostering.example/sandbox"
)

// open opens the plugin with a new sandbox and its client of an environment.
func open(t *testing.T, environment string) (*sandbox.Sandbox, *extism.Plugin) {
	t.Helper()
	s, err := sandbox.Start(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	id, secret := s.Client(environment)
	plugin, err := extism.NewPlugin(t.Context(), extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmFile{Path: "../../dist/rostering-nowasi.wasm"}},
		AllowedHosts: []string{"127.0.0.1"},
		Config: map[string]string{
			"environment": environment, "auth_url": s.AuthURL(), "base_url": s.BaseURL(),
			"client_id": id, "client_secret": secret, "customer_id": "customer-1", "user_id": "user-1",
		},
	}, extism.PluginConfig{}, nil)
	if err != nil {
		t.Fatalf("%v: run make build", err)
	}
	t.Cleanup(func() { _ = plugin.Close(t.Context()) })
	return s, plugin
}

// call calls an export some seconds from now: the plugin takes the time from its input, so that nobody has to wait.
func call(plugin *extism.Plugin, export string, seconds int64) (output []byte, err error) {
	_, output, err = plugin.Call(export, fmt.Appendf(nil, `{"now":%d}`, time.Now().Unix()+seconds))
	return output, err
}

func list(t *testing.T, plugin *extism.Plugin, seconds int64) {
	t.Helper()
	if jobs, err := call(plugin, "list_jobs", seconds); err != nil || !strings.Contains(string(jobs), "customer-1") {
		t.Fatalf("no jobs: %q, %v", jobs, err)
	}
}

func counts(t *testing.T, s *sandbox.Sandbox, tokens, jobs int) {
	t.Helper()
	if got, want := s.Counts(), (sandbox.Counts{TokenRequests: tokens, JobRequests: jobs}); got != want {
		t.Fatalf("so far %+v, not %+v", got, want)
	}
}

func TestLifeOfAToken(t *testing.T) {
	for _, environment := range []string{sandbox.Stage, sandbox.Production} {
		t.Run(environment, func(t *testing.T) {
			s, plugin := open(t, environment)
			began := time.Now().Unix()
			output, err := call(plugin, "get_token", 0)
			var token struct {
				ExpiresAt int64 `json:"expires_at"`
			}
			// The provider counts whole seconds of what is left, so an hour may read as 3,599.
			if json.Unmarshal(output, &token) != nil || token.ExpiresAt < began+3599 || token.ExpiresAt > time.Now().Unix()+3600 {
				t.Fatalf("the token expires %d s after the call, %v", token.ExpiresAt-began, err)
			}
			list(t, plugin, 0)
			list(t, plugin, 3500)
			counts(t, s, 1, 2)
			list(t, plugin, 3545) // within the margin
			counts(t, s, 2, 3)
			s.Revoke()
			list(t, plugin, 3551) // the renewed token is in use
			counts(t, s, 3, 5)
		})
	}
}

// After 2,000 failures in a row, which are traps, the instance still works. tests/plugin checks what they
// leave in its memory.
func TestManyFailures(t *testing.T) {
	s, plugin := open(t, sandbox.Stage)
	list(t, plugin, 0)
	if err := s.SetFault(sandbox.JobsServer, sandbox.Fault{CutOff: true}); err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		if jobs, err := call(plugin, "list_jobs", 0); err == nil {
			t.Fatalf("failure %d is %q", i+1, jobs)
		}
	}
	s.ClearFaults()
	list(t, plugin, 0)
}
