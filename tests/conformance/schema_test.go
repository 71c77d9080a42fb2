package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"automatic-rostering/plugin/core/exports"
	"automatic-rostering/plugin/core/model/memory"
	"automatic-rostering/tests/conformance/contract"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// schema is that of docs.
var schema = sync.OnceValue(func() contract.Contract {
	c, err := contract.Read(hosts.Root())
	if err != nil {
		panic(err)
	}
	return c
})

// checkBySchema holds input, output and error of an export, as a scenario on the core has them,
// against the schema: an input fits exactly when the plugin does not call it invalid.
func checkBySchema(t *testing.T, s *scenario.Scenario, export string, input []byte, a protocol.Response) {
	t.Helper()
	checkExport(t, export, input, a, beyondInput[s.FullName()] || beyondInput[family(s)])
}

// family is the name of the family of a scenario, if it has one.
func family(s *scenario.Scenario) string {
	return s.FullName()[:max(strings.LastIndex(s.FullName(), ": "), 0)]
}

// beyondInput are the rules on an input that its definition cannot say, by scenarios or families.
var beyondInput = map[string]bool{
	"send-request/a path that leads elsewhere":       true,
	"input/an input that is not Unicode":             true,
	"send-request/a header that is not the caller's": true,
	"send-request/headers of more than 32 KiB":       true,
	// A definition of resume cannot know which step it continues.
	"flows/a result that does not fit its step changes nothing": true,
	"sharing/a result of the wrong kind for a store":            true,
}

// inputs are the definitions of inputs that are not named like the export.
var inputs = map[string]string{"clear_token": "nothing", "check": "nothing", "version": "nothing"}

func checkExport(t *testing.T, export string, input []byte, a protocol.Response, beyond bool) {
	t.Helper()
	var e struct{ Code, Message, Key string }
	if a.Error != "" {
		if err := json.Unmarshal([]byte(a.Error), &e); err != nil {
			t.Error(err)
		}
	}
	if a.Trap == "" {
		if err := schema().Returns(export, a.Output, a.Error); err != nil {
			t.Error(err)
		}
	}
	if len(bytes.TrimSpace(input)) == 0 {
		input = []byte("{}") // nothing is an empty object
	}
	// A schema cannot see a field that is given twice: JSON readers keep the last.
	err := schema().Fits(cmp.Or(inputs[export], export), input)
	beyond = beyond || export == "resume" && e.Key == "flow" && err == nil // what a flow holds is the plugin's business
	if invalid := e.Code == "invalid_input"; invalid != (err != nil) && !beyond && !strings.Contains(e.Message, "twice") {
		t.Errorf("the schema says of the input %.300s: %v; the plugin: %s", input, err, a.Error)
	}
}

// A config fits exactly when the plugin finds nothing wrong with it.
func TestSchemaOfConfig(t *testing.T) {
	servers := scenario.Servers{Auth: "http://127.0.0.1:1", Service: "http://127.0.0.1:2", Closed: "http://127.0.0.1:3"}
	for _, s := range scenarios(t, hosts.Core) {
		s, err := s.With(servers)
		if err != nil {
			t.Fatal(err)
		}
		config, err := json.Marshal(s.FullConfig(servers))
		if err != nil {
			t.Fatal(err)
		}
		err = schema().Fits("config", config)
		if valid := !refusesConfig(&s); valid != (err == nil) {
			t.Errorf("%s: the schema says of the config %s: %v", s.FullName(), config, err)
		}
	}
}

// keys is a host that records which keys of the config are read.
type keys struct {
	*memory.Host
	read map[string]bool
}

func (k keys) Config(key string) string {
	k.read[key] = true
	return k.Host.Config(key)
}

// The schema has exactly the keys that the plugin reads.
func TestKeysInTheSchema(t *testing.T) {
	config := (&scenario.Scenario{}).FullConfig(scenario.Servers{Auth: "http://127.0.0.1:1", Service: "http://127.0.0.1:2"})
	k := keys{memory.New(config), map[string]bool{}}
	exports.Check(k, nil)
	listed, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	var has []string
	for _, key := range listed {
		has = append(has, key.Name)
	}
	read := slices.Sorted(maps.Keys(k.read))
	slices.Sort(has)
	if !slices.Equal(read, has) {
		t.Errorf("the plugin reads the keys %q, the schema has %q", read, has)
	}
}

// Who is beyond the schema, is there.
func TestSchemaExceptionsExist(t *testing.T) {
	all := map[string]bool{}
	for _, s := range scenarios(t, hosts.Core) {
		all[s.FullName()], all[family(&s)] = true, true
	}
	for _, exceptions := range []map[string]bool{beyondInput, beyondSchema} {
		for name := range exceptions {
			if !all[name] {
				t.Errorf("there is no scenario %s", name)
			}
		}
	}
}

// beyondSchema are the rules that a pattern cannot say, or that depend on the call.
var beyondSchema = map[string]bool{
	"config/an invalid URL: plain http":                                      true,
	"config/an invalid URL: plain http of the service":                       true,
	"config/an invalid URL: plain http to a name that looks like loopback":   true,
	"config/an invalid URL: plain http to a name that begins like localhost": true,
	"config/an invalid URL: a port above 65535":                              true,
	"send-request/base_url is required":                                      true,
	"config/a missing value: base_url":                                       true,
	"config/a missing value: customer_id":                                    true,
	"config/a missing value: user_id":                                        true,
	"config/get_token needs neither base_url nor ids":                        true,
}

func refusesConfig(s *scenario.Scenario) bool {
	if beyondSchema[s.FullName()] {
		return false
	}
	for _, call := range s.Calls {
		var e struct{ Code string }
		if json.Unmarshal(call.Error, &e) == nil && (e.Code == "config_missing" || e.Code == "config_invalid") {
			return true
		}
	}
	return false
}
