package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
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

// keys is a host that records which keys of the config are read.
type keys struct {
	*memory.Host
	read map[string]bool
}

func (k keys) Config(key string) string {
	k.read[key] = true
	return k.Host.Config(key)
}

// A config fits exactly when check finds nothing wrong with it, and the schema has exactly the keys that
// the plugin reads.
func TestSchemaOfConfig(t *testing.T) {
	_, all := onCore(t)
	k := keys{read: map[string]bool{}}
	for _, s := range all {
		config, err := json.Marshal(s.Config)
		if err != nil {
			t.Fatal(err)
		}
		k.Host = memory.New(s.Config)
		result, err := exports.Check(k, nil), schema().Fits("config", config)
		if wrong := string(result.Text); (wrong != "") != (err != nil) && !beyondConfig[s.FullName()] {
			t.Errorf("%s: the schema says of the config %s: %v; the plugin: %s", s.FullName(), config, err, wrong)
		}
	}
	listed, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, key := range listed {
		has[key.Name] = true
	}
	if !maps.Equal(k.read, has) {
		t.Errorf("the plugin reads the keys %v, the schema has %v", k.read, has)
	}
}

// Who is beyond the schema, is there.
func TestSchemaExceptionsExist(t *testing.T) {
	names := map[string]bool{}
	_, all := onCore(t)
	for _, s := range all {
		names[s.FullName()], names[family(&s)] = true, true
	}
	for _, exceptions := range []map[string]bool{beyondInput, beyondConfig} {
		for name := range exceptions {
			if !names[name] {
				t.Errorf("there is no scenario %s", name)
			}
		}
	}
}

// beyondConfig are the rules that a pattern cannot say.
var beyondConfig = map[string]bool{
	"config/an invalid URL: plain http":                                      true,
	"config/an invalid URL: plain http of the service":                       true,
	"config/an invalid URL: plain http to a name that looks like loopback":   true,
	"config/an invalid URL: plain http to a name that begins like localhost": true,
	"config/an invalid URL: a port above 65535":                              true,
}
