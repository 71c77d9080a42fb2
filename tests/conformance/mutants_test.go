package conformance

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

// Each expectation of a step counts: where it is another one, the scenario fails.
func TestEveryStepCounts(t *testing.T) {
	host := hosts.CoreInSteps.Start(t)
	for _, group := range []string{"sharing", "single-flight", "last", "refused"} {
		b, err := os.ReadFile(filepath.Join(hosts.Root(), "tests/scenarios", group+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var all []map[string]any
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			eachMutant(one, func(field string) {
				mutant, err := json.Marshal([]any{one})
				if err != nil {
					t.Fatal(err)
				}
				s, err := scenario.Load(fstest.MapFS{group + ".json": {Data: mutant}})
				if err == nil && run.Scenario(host, &s[0]) == nil {
					t.Errorf("%s/%s holds with another %s", group, one["name"], field)
				}
			})
		}
	}
}

// expectations are fields of steps and errors, and how another value of each is made.
// Neither value nor input is an expectation: they are handed in.
var expectations = map[string]func(any) any{
	"ttl":         func(old any) any { return old.(float64) + 1 },
	"wait":        func(old any) any { return old.(float64) * 2 },
	"retry_after": func(old any) any { return old.(float64) + 1 },
	"last":        func(old any) any { return !old.(bool) },
	"added":       func(any) any { return false },
	"lock":        func(any) any { return false },
	"code":        func(any) any { return "network_failure" },
	"with":        func(any) any { return "token-0007" },
}

// eachMutant calls f with each expectation changed in turn.
func eachMutant(value any, f func(field string)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			eachMutant(element, f)
		}
	case map[string]any:
		laid, _ := value["in_steps"].(map[string]any)
		for _, field := range slices.Sorted(maps.Keys(value)) {
			old := value[field]
			if laid[field] != nil {
				continue // another one counts
			}
			change := expectations[field]
			if field == "value" && value["op"] == "set" {
				change = func(any) any { return "another" }
			}
			if change != nil {
				value[field] = change(old)
				f(field)
				value[field] = old
			}
			if field != "value" && field != "input" {
				eachMutant(old, f)
			}
		}
	}
}
