package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/internal/memory"
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/tests/runner/contract"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// beyond are the cases or families whose rules on an input or the config the schema cannot say.
var beyond = []string{
	"send-request/a path that leads elsewhere",
	"input/an input that is not Unicode",
	"send-request/a reserved header",
	"send-request/headers of more than 32 KiB",
	// A definition of resume cannot know which step it continues.
	"flows/a result that does not fit its step changes nothing",
	"sharing/a result that does not fit its step",

	"config/an invalid URL: plain http",
	"config/an invalid base_url: host:99999",
}

// The schema agrees with the plugin on what each case passes to it and gets from it, and has exactly the
// keys of the config that the plugin reads.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema, err := contract.Read(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	contradicted := map[string]bool{}
	read, has := map[string]bool{}, map[string]bool{} // keys of the config
	for _, h := range []hosts.Host{hosts.Core, hosts.CoreInFlows} {
		player, w := h.Start(t), world.New()
		defer w.Close()
		for _, c := range cases(t, h) {
			contradicts := checkConfig(schema, w, &c, read)
			player.Observe = func(export string, input []byte, a protocol.Response) {
				contradicts = errors.Join(contradicts, checkExport(schema, export, input, a))
			}
			_ = player.Case(w, &c) // whether it holds, TestPlugin shows
			if contradicts == nil {
				continue
			}
			family, _, _ := strings.Cut(c.FullName(), ": ")
			contradicted[c.FullName()], contradicted[family] = true, true
			if !slices.Contains(beyond, c.FullName()) && !slices.Contains(beyond, family) {
				t.Errorf("%s: %v", c.FullName(), contradicts)
			}
		}
	}
	for _, name := range beyond {
		if !contradicted[name] {
			t.Errorf("%s is not beyond the schema", name)
		}
	}
	listed, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range listed {
		has[key.Name] = true
	}
	if !maps.Equal(read, has) {
		t.Errorf("the plugin reads the keys %v, the schema has %v", read, has)
	}
}

// Each example in the schema fits its definition, and the plugin takes those of inputs.
func TestExamples(t *testing.T) {
	t.Parallel()
	schema, err := contract.Read(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	w := world.New()
	defer w.Close()
	core := hosts.Core.Start(t)
	inputs := []string{"begin", "resume", "request", "explain", "get_token", "list_jobs", "send_request", "set_token", "status"}
	for name, definition := range schema {
		isInput := slices.Contains(inputs, name)
		if isInput && len(definition.Examples) == 0 {
			t.Errorf("%s has no example", name)
		}
		for _, example := range definition.Examples {
			text, err := json.Marshal(example)
			if err := errors.Join(err, schema.Fits(name, text)); err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
			}
			if isInput {
				_, err := core.Do(protocol.Request{Op: "open", Config: w.Config()})
				a, err2 := core.Do(protocol.Request{Op: "call", Export: name, Input: text})
				if err := errors.Join(err, err2, checkExport(schema, name, text, a)); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// checkExport returns how the schema contradicts an export: an input fits exactly when the plugin does not call
// it invalid.
func checkExport(schema contract.Contract, export string, input []byte, a protocol.Response) error {
	if a.Text == "" {
		if err := schema.Returns(export, a.Output, a.Error); err != nil {
			return err
		}
	}
	var e struct{ Code, Message, Key string }
	_ = json.Unmarshal([]byte(a.Error), &e) // none, or one that fits
	if len(bytes.TrimSpace(input)) == 0 {
		input = []byte("{}") // nothing is an empty object
	}
	definition := map[string]string{"clear_token": "nothing", "check": "nothing", "version": "nothing"}[export]
	err, invalid := schema.Fits(cmp.Or(definition, export), input), e.Code == "invalid_input"
	switch {
	case invalid == (err != nil):
	case strings.Contains(e.Message, "twice"): // JSON readers keep the last of a field that is given twice
	case err == nil && export == "resume" && e.Key == "flow": // what a flow holds is the plugin's business
	default:
		return fmt.Errorf("the schema says of the input %.300s: %v; the plugin: %s", input, err, a.Error)
	}
	return nil
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

// checkConfig returns how the schema contradicts the export check, for the config of a case.
func checkConfig(schema contract.Contract, w *world.World, c *rule.Case, read map[string]bool) error {
	all, err := play.Config(w, c)
	object, err2 := json.Marshal(all)
	result := config.Check(keys{memory.New(all), read}, nil)
	if fits := schema.Fits("config", object); (fits != nil) != (len(result.Text) > 0) {
		return fmt.Errorf("the schema says of the config %s: %v; the plugin: %s", object, fits, result.Text)
	}
	return cmp.Or(err, err2)
}
