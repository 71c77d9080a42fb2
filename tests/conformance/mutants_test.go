package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

// Each expectation counts: where it is another one, the scenario fails.
func TestEveryExpectationCounts(t *testing.T) {
	host := hosts.Core.Start(t)
	for _, s := range scenarios(t, hosts.Core) {
		var fields map[string]any
		if err := json.Unmarshal(s.Raw, &fields); err != nil {
			t.Fatal(err)
		}
		eachMutant("", fields, func(field string) {
			raw, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			mutant, err := scenario.Decode(s.Group, raw)
			if err == nil && run.Scenario(host, &mutant) == nil {
				t.Errorf("%s holds with another %s", s.FullName(), field)
			}
		})
	}
}

// expectations are fields of steps and errors, and how another value of each is made.
// Neither value, input nor response is an expectation: they are passed to the plugin.
var expectations = map[string]func(any) any{
	"ttl":         func(old any) any { return old.(float64) + 1 },
	"wait":        func(old any) any { return old.(float64) * 2 },
	"retry_after": func(old any) any { return old.(float64) + 1 },
	"until":       func(old any) any { return old.(float64) + 1 },
	"code":        func(any) any { return "network_failure" },
	"with":        func(any) any { return "token-0007" },
	"logs":        func(old any) any { return append(slices.Clone(old.([]any)), "debug never") },
	"has":         func(any) any { return "token-0007" },
}

// eachMutant calls f with each expectation changed in turn, in the value of a field.
func eachMutant(of string, value any, f func(field string)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			eachMutant(of, element, f)
		}
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(value)) {
			old := value[field]
			change := expectations[field]
			if field == "value" && of == "unlock" {
				change = func(any) any { return "another" }
			}
			if change != nil {
				value[field] = change(old)
				f(field)
				value[field] = old
			}
			if field != "value" && field != "input" && field != "response" {
				eachMutant(field, old, f)
			}
		}
	}
}
