// Package conformance runs every scenario on every host.
package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

func TestScenarios(t *testing.T) {
	if !hosts.Wanted("go") {
		t.Skip("left out by HOSTS")
	}
	for _, h := range hosts.Native {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			runAll(t, h)
		})
	}
}

func TestScenariosInOtherLanguages(t *testing.T) {
	hosts.EachLanguage(t, func(t *testing.T, _ string, all []hosts.Host) {
		for _, h := range all {
			t.Run(h.Name, func(t *testing.T) { runAll(t, h) })
		}
	})
}

func runAll(t *testing.T, h hosts.Host) {
	deviations, err := readDeviations(h.Name)
	if err != nil {
		t.Fatal(err)
	}
	host := h.Start(t)
	all := scenarios(t, host)
	versions, err := host.Versions()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(runs + versions)
	for _, s := range all {
		t.Run(s.FullName(), func(t *testing.T) {
			err, why := run.Scenario(host, &s), deviations.of(s.FullName())
			switch {
			case err != nil && why != "":
				t.Log(deviates + why) // the matrix counts it
			case err != nil:
				t.Errorf("%v\nrule: %s", err, s.Rule)
			case why != "":
				t.Errorf("this host is said not to do this, but it does: %s", why)
			}
		})
	}
	if unknown := deviations.beyond(all); len(unknown) > 0 {
		t.Errorf("there are no scenarios %q", unknown)
	}
}

// What the matrix reads of the log.
const (
	runs     = "runs: "
	deviates = "deviation: "
)

// scenarios are those that a host runs.
func scenarios(t *testing.T, h *run.Host) []scenario.Scenario {
	t.Helper()
	all, err := scenario.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/scenarios")))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(s scenario.Scenario) bool { return !h.Runs(&s) })
}
