package conformance

import (
	"encoding/json"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
	"automatic-rostering/tests/conformance/script"
)

// A token goes from the core to a host of each language, is used there, and comes back:
// all that while, one token request is made.
func TestTokensTravel(t *testing.T) {
	hosts.Each(t, func(t *testing.T, _ string, all []hosts.Host) {
		travel(t, all[0])
	})
}

func travel(t *testing.T, h hosts.Host) {
	servers, err := script.Start(true)
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	core, host := hosts.Core.Start(t), h.Start(t)
	home, away, later := traveller{t, core, servers, t.Name() + " home"}, traveller{t, host, servers, t.Name() + " away"}, traveller{t, core, servers, t.Name() + " later"}
	for _, at := range []traveller{home, away, later} {
		at.create()
	}
	token := home.call("get_token", nil, `[{"token": {}}]`)
	away.call("set_token", token, `[]`)
	away.call("list_jobs", nil, `[{"jobs": {}}]`)
	back := away.call("get_token", nil, `[]`)
	if string(back) != string(token) {
		t.Errorf("the token object is another one after its travel")
	}
	later.call("set_token", back, `[]`)
	later.call("list_jobs", nil, `[{"jobs": {}}]`)
}

// traveller is an instance to which a token travels.
type traveller struct {
	t       *testing.T
	host    *run.Host
	servers *script.Servers
	name    string
}

func (at traveller) do(r protocol.Request) protocol.Response {
	at.t.Helper()
	r.Instance = at.name
	a, err := at.host.Do(r)
	if err != nil || a.Error != "" || a.Trap != "" {
		at.t.Fatalf("%s at %s: %v%s%s", r.Op, at.name, err, a.Error, a.Trap)
	}
	return a
}

func (at traveller) create() {
	config := (&scenario.Scenario{}).FullConfig(at.servers.Addresses)
	at.do(protocol.Request{Op: "create", Wasm: at.host.Wasm, WASI: at.host.WASI, Config: config, AllowedHosts: []string{"127.0.0.1"}})
}

// call calls an export with an input, with now in it, and wants these exchanges.
func (at traveller) call(export string, input []byte, exchanges string) []byte {
	at.t.Helper()
	fields := map[string]any{}
	if input != nil {
		if err := json.Unmarshal(input, &fields); err != nil {
			at.t.Fatal(err)
		}
	}
	fields["now"] = 1800000000
	b, err := json.Marshal(fields)
	if err != nil {
		at.t.Fatal(err)
	}
	var expected []scenario.Exchange
	if err := json.Unmarshal([]byte(exchanges), &expected); err != nil {
		at.t.Fatal(err)
	}
	at.servers.Expect(expected)
	a := at.do(protocol.Request{Op: "call", Export: export, Input: b})
	for _, wrong := range at.servers.Check() {
		at.t.Errorf("%s at %s: %s", export, at.name, wrong)
	}
	return a.Output
}
