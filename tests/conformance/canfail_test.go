package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
)

const silentHost = "CONFORMANCE_SILENT_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(silentHost) != "" {
		for requests := json.NewDecoder(os.Stdin); ; {
			var r protocol.Request
			if requests.Decode(&r) != nil {
				break
			}
			fmt.Printf(`{"id":%d}`+"\n", r.ID)
		}
		os.Exit(0)
	}
	os.Exit(hosts.Main(m))
}

// A host that does nothing must fail every scenario, or the scenario shows nothing.
func TestEveryScenarioCanFail(t *testing.T) {
	t.Setenv(silentHost, "1")
	p, err := protocol.Start(context.WithoutCancel(t.Context()), ".", os.Stderr, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, s := range scenarios(t, hosts.CoreInSteps) {
		if run.Scenario(&run.Host{Process: p, Steps: s.StepsOnly()}, &s) == nil {
			t.Errorf("%s holds for a host that does nothing", s.FullName())
		}
	}
}
