package contract_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/tests/runner/contract"
)

const root = "../../.."

// Each example in the schema fits its definition, and the plugin reads those of inputs.
func TestExamples(t *testing.T) {
	c, err := contract.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/contract.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct{ Examples []json.RawMessage } `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	parse := func(export input.Export) func([]byte) *apierror.Error {
		return func(b []byte) *apierror.Error { _, err := input.Parse(b, export); return err }
	}
	inputs := map[string]func([]byte) *apierror.Error{
		"begin": parse(input.Begin), "request": parse(input.Request), "get_token": parse(input.GetToken),
		"list_jobs": parse(input.ListJobs), "status": parse(input.Status), "send_request": parse(input.SendRequest),
		"resume":    func(b []byte) *apierror.Error { _, err := input.ParseResume(b); return err },
		"explain":   func(b []byte) *apierror.Error { _, err := input.ParseExplain(b); return err },
		"set_token": func(b []byte) *apierror.Error { _, err := input.ParseToken(b); return err },
	}
	for name, definition := range schema.Defs {
		for _, example := range definition.Examples {
			if err := c.Fits(name, example); err != nil {
				t.Errorf("%s: %s: %v", name, example, err)
			}
		}
	}
	for name, parse := range inputs {
		examples := schema.Defs[name].Examples
		if len(examples) == 0 {
			t.Errorf("%s has no example", name)
		}
		for _, example := range examples {
			if err := parse(example); err != nil {
				t.Errorf("%s: %s: %s", name, example, err.Message)
			}
		}
	}
}
