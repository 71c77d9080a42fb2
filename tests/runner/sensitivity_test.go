package runner

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/rule"
	"automatic-rostering/tests/runner/world"
)

// idle is a player that does nothing, successfully.
type idle struct{}

func (idle) Send(protocol.Request) (*protocol.Pending, error) {
	return protocol.Responded(protocol.Response{}), nil
}
func (idle) Logs(string) []protocol.Log { return nil }

// A player that does nothing fails every case, as an instance of the plugin and as a library, or the case shows nothing.
func TestEveryCaseCanFail(t *testing.T) {
	defer func(d time.Duration) { world.Patience = d }(world.Patience)
	world.Patience = 20 * time.Millisecond
	scripted := world.New()
	defer scripted.Close()
	redis := func() (string, error) { return "", nil }
	for _, r := range load(t) {
		for _, c := range r.Cases {
			for name, kind := range kinds(&c) {
				for _, library := range []bool{false, true} {
					if !library && c.Players == "libraries" || library && c.Players == "plugin" || library && c.Players == "everywhere" && !play.Expressible(&c) {
						continue
					}
					player, w := play.Player{Adapter: idle{}, Library: library, Redis: redis}, scripted
					if !c.Scripted() {
						w = world.New()
					}
					if player.Case(w, &c, kind) == nil {
						t.Errorf("%s/%s holds for a player that does nothing", r.Name, name)
					}
					if w != scripted {
						w.Close()
					}
				}
			}
		}
	}
}

// Each expectation of a scripted case counts: where it is another one, the case fails.
func TestEveryExpectationCounts(t *testing.T) {
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
			if err == nil && core.Case(w, &mutant, "") == nil {
				t.Errorf("%s holds with another %s: %s", c.FullName(), field, raw)
			}
		})
	}
}

// given are the fields of steps and exchanges that are no expectation.
var given = []string{
	"do", "begin", "resume", "as", "times", "at", "now", "input", "raw_input",
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
			short := value[field] // of an exchange: what comes back
			_, isStatus := short.(float64)
			isShort := field == "jobs" && isStatus || field == "add" && short == true || field == "add" && short == false
			_, isObject := short.(map[string]any)
			isToken := field == "token" && !isObject && value["do"] == nil && value["begin"] == nil && value["resume"] == nil
			if !slices.Contains(given, field) && !isShort && !isToken {
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
