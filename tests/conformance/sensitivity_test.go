package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

// idle is a host that does nothing.
type idle struct{}

func (idle) Do(protocol.Request) (protocol.Response, error) { return protocol.Response{}, nil }

// A host that does nothing must fail every scenario, or the scenario shows nothing.
func TestEveryScenarioCanFail(t *testing.T) {
	host, all := onCore(t)
	host.Adapter = idle{}
	for _, s := range all {
		if run.Scenario(host, &s) == nil {
			t.Errorf("%s holds for a host that does nothing", s.FullName())
		}
	}
}

// Each expectation counts: where it is another one, the scenario fails.
func TestEveryExpectationCounts(t *testing.T) {
	host, all := onCore(t)
	for _, s := range all {
		var fields map[string]any
		if err := json.Unmarshal(s.Raw, &fields); err != nil {
			t.Fatal(err)
		}
		eachMutant(fields["calls"], func(field string) {
			raw, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			mutant, err := scenario.Decode(s.Group, raw)
			if err == nil && run.Scenario(host, &mutant) == nil {
				t.Errorf("%s holds with another %s: %s", s.FullName(), field, raw)
			}
		})
	}
}

// given are the fields of calls and exchanges that are no expectation.
var given = []string{
	"call", "begin", "resume", "as", "times", "now", "input", "raw_input",
	"response", "gives", "expires_in", "get", "lock", "added", "failed",
}

// eachMutant calls f with each expectation in a value changed in turn.
func eachMutant(value any, f func(field string)) {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			try("element", element, func(other any) { value[i] = other }, f)
		}
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(value)) {
			if _, isShort := value[field].(bool); !slices.Contains(given, field) && !(field == "add" && isShort) {
				try(field, value[field], func(other any) { value[field] = other }, f)
			}
		}
	}
}

// try calls f with another value in the place of one, and with each mutant of it.
func try(field string, value any, set func(any), f func(field string)) {
	var other any
	switch value := value.(type) {
	case map[string]any:
		eachMutant(value, f)
		more := maps.Clone(value)
		more["another"] = "another"
		other = more
	case []any:
		eachMutant(value, f)
		other = append(slices.Clone(value), append(value, "another")[0])
	case string, nil:
		other = "another"
	case float64:
		other = value + 1
	case bool:
		other = !value
	}
	set(other)
	f(field)
	set(value)
}
