package runner

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// idle is a player that does nothing, successfully.
type idle struct{}

func (idle) Send(protocol.Request) (*protocol.Pending, error) {
	return protocol.Responded(protocol.Response{}), nil
}
func (idle) Logs(string) []protocol.Log { return nil }

// A player that does nothing fails every case, as an instance of the plugin and as a library, or the case shows nothing.
func TestEveryCaseCanFail(t *testing.T) {
	t.Parallel()
	for _, h := range []hosts.Host{hosts.Core, {Library: true}} {
		player := play.Player{Adapter: idle{}, Library: h.Library, Redis: func() (string, error) { return "", nil }}
		for _, c := range cases(t, h) {
			w := world.New()
			w.Patience = 20 * time.Millisecond
			if player.Case(w, &c) == nil {
				t.Errorf("%s holds for a player that does nothing", c.FullName())
			}
			w.Close()
		}
	}
}

// Each expectation of a scripted case counts: where it is another one, the case fails.
func TestEveryExpectationCounts(t *testing.T) {
	t.Parallel()
	core := hosts.Core.Start(t)
	w := world.New()
	defer w.Close()
	for _, c := range cases(t, hosts.Core) {
		var fields map[string]any
		if err := json.Unmarshal(c.Raw, &fields); err != nil {
			t.Fatal(err)
		}
		eachMutant(fields["steps"], func(field string) {
			raw, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			mutant, err := rule.Decode(c.Rule, raw)
			if err == nil && core.Case(w, &mutant) == nil {
				t.Errorf("%s holds with another %s: %s", c.FullName(), field, raw)
			}
		})
	}
}

// given are the fields of steps and exchanges that are no expectation.
var given = []string{
	"do", "begin", "resume", "as", "times", "at", "input", "response", "expires_in", "get", "lock",
}

// isGiven reports whether a field is no expectation; of an exchange, neither are what token gives, a status, and added.
func isGiven(of map[string]any, field string) bool {
	isStep := of["do"] != nil || of["begin"] != nil || of["resume"] != nil
	switch of[field].(type) {
	case string:
		return slices.Contains(given, field) || field == "token" && !isStep
	case float64:
		return slices.Contains(given, field) || !isStep && (field == "token" || field == "jobs")
	case bool:
		return slices.Contains(given, field) || field == "add"
	}
	return slices.Contains(given, field)
}

// eachMutant calls f with each expectation in a value changed in turn.
func eachMutant(value any, f func(field string)) {
	change := func(field string, element any, set func(any)) {
		eachMutant(element, f)
		set(another(element))
		f(field)
		set(element)
	}
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			change("element", element, func(other any) { value[i] = other })
		}
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(value)) {
			if !isGiven(value, field) {
				change(field, value[field], func(other any) { value[field] = other })
			}
		}
	}
}

// another is another value than this one.
func another(value any) any {
	switch value := value.(type) {
	case map[string]any:
		more := maps.Clone(value)
		more["another"] = "another"
		return more
	case []any:
		return append(slices.Clone(value), append(value, "another")[0])
	case float64:
		return value + 1
	case bool:
		return !value
	}
	return "something else"
}
