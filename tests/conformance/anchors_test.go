package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

// elsewhere are the sections of docs/contract.md that state no rule, or whose rules
// another test shows.
var elsewhere = map[string]string{
	"the-contract-for-host-authors": "its title",
	"reference":                     "the title of those below",
}

// Each scenario's rule is a section of docs/contract.md, by the anchor that its heading
// has on GitHub; and each section that states a rule has scenarios.
func TestAnchors(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(hosts.Root(), "docs/contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(b), -1) {
		text := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		shown[strings.ReplaceAll(text, " ", "-")] = false
	}
	for anchor := range elsewhere {
		if _, exists := shown[anchor]; !exists {
			t.Errorf("docs/contract.md has no section #%s", anchor)
		}
		shown[anchor] = true
	}
	for _, s := range scenarios(t, hosts.Core) {
		if _, exists := shown[s.Rule]; !exists {
			t.Errorf("%s: docs/contract.md has no section #%s", s.FullName(), s.Rule)
		}
		shown[s.Rule] = true
	}
	for anchor, is := range shown {
		if !is {
			t.Errorf("no scenario shows docs/contract.md#%s", anchor)
		}
	}
}
