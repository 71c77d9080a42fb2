// Package conformance runs every scenario on every host.
package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

func TestScenarios(t *testing.T) {
	hosts.EachWithCore(t, func(t *testing.T, language string, all []hosts.Host) {
		for _, h := range all {
			t.Run(h.Name, func(t *testing.T) { runAll(t, h, language == "core") })
		}
	})
}

// runAll runs the scenarios on a host, and holds what it sees against the schema if asked to.
func runAll(t *testing.T, h hosts.Host, bySchema bool) {
	deviations, err := readDeviations(h.Name)
	if err != nil {
		t.Fatal(err)
	}
	host := h.Start(t)
	all := scenarios(t, h)
	versions, err := host.Versions()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		compareRecord(t, "versions.json", h.Name, versions)
	}
	for _, s := range all {
		t.Run(s.FullName(), func(t *testing.T) {
			if bySchema {
				host.Observe = func(export string, input []byte, a protocol.Response) { checkBySchema(t, &s, export, input, a) }
			}
			err, why := run.Scenario(host, &s), deviations.of(s.FullName())
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
	if unknown := deviations.beyond(all); len(unknown) > 0 {
		t.Errorf("there are no scenarios %q", unknown)
	}
}

// scenarios are those that a host runs: in flows, those that have direct calls.
func scenarios(t *testing.T, h hosts.Host) []scenario.Scenario {
	t.Helper()
	all, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(all), func(s scenario.Scenario) bool {
		return !h.All && !s.Everywhere || h.Flows && !s.HasDirect()
	})
}

var loaded = sync.OnceValues(func() ([]scenario.Scenario, error) {
	return scenario.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/scenarios")))
})
