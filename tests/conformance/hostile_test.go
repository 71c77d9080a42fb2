package conformance

import (
	"testing"

	"automatic-rostering/tests/conformance/hostile"
	"automatic-rostering/tests/conformance/hosts"
)

// How calls to hostile servers end is recorded for each library, as redirects are for each raw host.
func TestHostile(t *testing.T) {
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		host := h.Start(t)
		if versions, err := host.Versions(); err != nil {
			t.Error(err)
		} else if *update {
			compareRecord(t, "libraries.json", h.Name, versions)
		}
		got, err := hostile.Probe(host)
		if err == nil && !isRecorded(t, "hostile.json", h.Name, got) {
			got, err = hostile.Probe(h.Start(t)) // on a busy machine, a call may have timed out
		}
		if err != nil {
			t.Error(err)
		}
		compareRecord(t, "hostile.json", h.Name, got)
	})
}
