package runner

import (
	"cmp"
	"strings"
	"testing"

	"automatic-rostering/tests/runner/contract"
	"automatic-rostering/tests/runner/hosts"
)

// Each key of the config in the schema is a row of a case of libraries, and each code is that of an error in one.
func TestKeysAndCodes(t *testing.T) {
	keys, codes, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, r := range load(t) {
		for _, c := range r.Cases {
			if _, row, isRow := strings.Cut(c.Name, ": "); isRow && strings.HasPrefix(c.FullName(), "config-at-open/a key") {
				shown[row] = true
			}
			for _, s := range c.Steps {
				if c.Players != "plugin" && (s.Error != nil || s.Fails != nil) {
					shown[cmp.Or(s.Error.Code(), s.Fails.Code())] = true
				}
			}
		}
	}
	for _, key := range keys {
		codes = append(codes, key.Name)
	}
	for _, name := range codes {
		if !shown[name] {
			t.Errorf("no case of libraries is about %s", name)
		}
	}
}
