package call_test

import (
	"encoding/json"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/memory"
)

// A flow can only name a state in which a call returns a step: from another one the call would
// have nothing to return.
func TestAFlowInAStateWithoutAStepIsNone(t *testing.T) {
	for _, state := range []string{"choosing", "succeeded", "failed", "", "unknown"} {
		h := memory.New(map[string]string{
			"environment": "stage", "auth_url": "https://auth.example", "base_url": "https://api.example",
			"client_id": "client", "client_secret": "the secret", "customer_id": "c", "user_id": "u",
		})
		var begun struct{ Flow json.RawMessage }
		output := call.Begin(h, []byte(`{"call":"list_jobs","accepts":["wait","store"],"input":{"now":1800000000}}`)).Output
		if err := json.Unmarshal(output, &begun); err != nil {
			t.Fatalf("%s: %v", output, err)
		}
		forged := strings.Replace(string(begun.Flow), `"state":"reading_token"`, `"state":"`+state+`"`, 1)
		if forged == string(begun.Flow) {
			t.Fatalf("%s has another state", forged)
		}
		for _, result := range []string{``, `,"value":null`, `,"status":200`, `,"added":true`} {
			step := call.Resume(h, []byte(`{"now":1800000000,"flow":`+forged+result+`}`))
			if step.Kind != call.Fail || !strings.Contains(string(step.Output), `"key":"flow"`) {
				t.Errorf("%s with %s: %s", forged, result, step.Output)
			}
		}
	}
}
