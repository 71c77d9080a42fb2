// Package conformance runs every scenario on every host.
package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

func TestScenarios(t *testing.T) {
	all := scenarios(t)
	for _, h := range hosts.All {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			host := h.Start(t)
			for i := range all {
				t.Run(all[i].Group+"/"+all[i].Name, func(t *testing.T) {
					if err := run.Scenario(host, &all[i], nil); err != nil {
						t.Errorf("%v\nrule: %s", err, all[i].Rule)
					}
				})
			}
			t.Logf("%d scenarios on %s", len(all), h.Name)
		})
	}
}

func scenarios(t *testing.T) []scenario.Scenario {
	t.Helper()
	all, err := scenario.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/scenarios")))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
