// Package endtoend runs the plugin on a real host against a real identity provider
// and a service that verifies the tokens.
package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

func TestMain(m *testing.M) { os.Exit(hosts.Main(m)) }

// user is somebody who uses the plugin against the sandbox.
type user struct {
	*sandbox.Sandbox
	t       *testing.T
	process *protocol.Process
	secret  string
	op      string // call, or drive where begin and resume make the calls
	begun   time.Time
}

// newUser makes an instance of the plugin, or a client of the library for drive, with the
// sandbox's config, changed by change.
func newUser(t *testing.T, op, environment string, change func(config map[string]string)) *user {
	t.Helper()
	t.Parallel()
	sandbox, err := sandbox.Start(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sandbox.Close() })
	id, secret := sandbox.Client(environment)
	config := map[string]string{
		"environment": environment, "auth_url": sandbox.AuthURL(), "base_url": sandbox.BaseURL(),
		"client_id": id, "client_secret": secret, "customer_id": "customer-1", "user_id": "user-1",
	}
	if change != nil {
		change(config)
	}
	host := hosts.Go
	if op == "drive" {
		host = hosts.GoLibrary
	}
	started := host.Start(t)
	u := &user{Sandbox: sandbox, t: t, process: started.Process, secret: secret, op: op, begun: time.Now()}
	create := protocol.Request{Op: "create", Wasm: started.Wasm, WASI: started.WASI, Config: config, Client: started.Drives}
	if !started.Drives {
		create.AllowedHosts = []string{"127.0.0.1"}
	}
	if made := u.do(create); made.Trap != "" {
		t.Fatal(made.Trap)
	}
	t.Cleanup(func() { u.do(protocol.Request{Op: "close"}) })
	return u
}

func (u *user) do(r protocol.Request) protocol.Response {
	u.t.Helper()
	r.Instance = u.t.Name()
	a, err := u.process.Do(r)
	if err != nil {
		u.t.Fatal(err)
	}
	if shown := fmt.Sprint(a.Error, a.Trap, a.Logs); strings.Contains(shown, u.secret) || strings.Contains(shown, "eyJ") {
		u.t.Errorf("a secret or a token is shown")
	}
	return a
}

// callAt calls an export some seconds after the test began: the plugin takes the time from
// its input, so that nobody has to wait, and a whole second that passes changes nothing.
func (u *user) callAt(seconds int64, export string) protocol.Response {
	u.t.Helper()
	input := fmt.Appendf(nil, `{"now":%d}`, u.begun.Unix()+seconds)
	return u.do(protocol.Request{Op: u.op, Export: export, Input: input})
}

func (u *user) mustList(seconds int64) {
	u.t.Helper()
	a := u.callAt(seconds, "list_jobs")
	if !strings.Contains(string(a.Output), "customer-1") {
		u.t.Errorf("no jobs: %s %s %s", a.Error, a.Trap, a.Output)
	}
}

// failure is an error of the plugin.
type failure struct {
	Code       string `json:"code"`
	Status     int    `json:"status"`
	OAuthError string `json:"oauth_error"`
	RetryAfter int    `json:"retry_after"`
}

func (u *user) mustFail(seconds int64, want failure) {
	u.t.Helper()
	a := u.callAt(seconds, "list_jobs")
	var got failure
	if err := json.Unmarshal([]byte(a.Error), &got); err != nil || got != want {
		u.t.Errorf("it fails with %+v (%s%s), not %+v", got, a.Trap, a.Output, want)
	}
}

func (u *user) mustCount(tokens, jobs int) {
	u.t.Helper()
	if got, want := u.Counts(), (sandbox.Counts{TokenRequests: tokens, JobRequests: jobs}); got != want {
		u.t.Errorf("so far %+v, not %+v", got, want)
	}
}
