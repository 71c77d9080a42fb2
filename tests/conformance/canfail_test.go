package conformance

import (
	"os"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
)

func TestMain(m *testing.M) { os.Exit(hosts.Main(m)) }

// idle is a host that does nothing.
type idle struct{}

func (idle) Do(protocol.Request) (protocol.Response, error) { return protocol.Response{}, nil }

// A host that does nothing must fail every scenario, or the scenario shows nothing.
func TestEveryScenarioCanFail(t *testing.T) {
	for _, s := range scenarios(t, hosts.Core) {
		if run.Scenario(&run.Host{Adapter: idle{}}, &s) == nil {
			t.Errorf("%s holds for a host that does nothing", s.FullName())
		}
	}
}
