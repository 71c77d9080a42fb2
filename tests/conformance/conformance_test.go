// Package conformance runs every scenario on every host.
package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

func TestMain(m *testing.M) { os.Exit(hosts.Main(m, scenario.Secret, hostileSecret)) }

func TestScenarios(t *testing.T) {
	deviations := readDeviations(t)
	hosts.EachWithCore(t, func(t *testing.T, _ string, all []hosts.Host) {
		for _, h := range all {
			t.Run(h.Name, func(t *testing.T) { runAll(t, h, deviations[h.Name]) })
		}
	})
}

// readDeviations reads why a host cannot do a scenario, by both names. The scenario still runs, and must fail.
func readDeviations(t *testing.T) (deviations map[string]map[string]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(hosts.Root(), "tests/scenarios/deviations.json"))
	if err == nil {
		err = json.Unmarshal(b, &deviations)
	}
	if err != nil {
		t.Fatal(err)
	}
	return deviations
}

// runAll runs the scenarios on a host.
func runAll(t *testing.T, h hosts.Host, deviations map[string]string) {
	host := h.Start(t)
	all := scenarios(t, h, host)
	versions, err := host.Versions()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		compareRecord(t, recorded.Hosts, h.Name, versions)
	}
	for _, s := range all {
		t.Run(s.FullName(), func(t *testing.T) {
			err, why := run.Scenario(host, &s), deviations[s.FullName()]
			switch {
			case err != nil && why != "":
				t.Log(why)
			case err != nil:
				t.Errorf("%v\nrule: docs/contract.md#%s", err, s.Rule)
			case why != "":
				t.Errorf("this host is said not to do this, but it does: %s", why)
			}
		})
	}
	for name := range deviations {
		if !slices.ContainsFunc(all, func(s scenario.Scenario) bool { return s.FullName() == name }) {
			t.Errorf("there is no scenario %q", name)
		}
	}
}

// scenarios are those that a host runs: in flows, those that have direct calls.
func scenarios(t *testing.T, h hosts.Host, host *run.Host) []scenario.Scenario {
	t.Helper()
	all, err := scenario.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/scenarios")), host.Servers.URLs)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(s scenario.Scenario) bool {
		return !h.All && !s.Everywhere || h.Flows && !s.HasDirect()
	})
}

// onCore returns the core, and all scenarios.
func onCore(t *testing.T) (*run.Host, []scenario.Scenario) {
	t.Helper()
	host := hosts.Core.Start(t)
	return host, scenarios(t, hosts.Core, host)
}
