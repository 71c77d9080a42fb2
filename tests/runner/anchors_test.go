package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"automatic-rostering/tests/runner/hosts"
)

// Each rule of the plugin is a section of docs/contract.md, by the anchor that its heading
// has on GitHub; and each section that states a rule has cases.
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
	delete(shown, "the-contract-for-host-authors") // its title
	delete(shown, "reference")                     // and that of the sections below
	for _, r := range load(t) {
		for _, c := range r.Cases {
			if _, exists := shown[c.Anchor]; !exists && c.Players != "libraries" {
				t.Errorf("%s: docs/contract.md has no section #%s", c.FullName(), c.Anchor)
			}
			shown[c.Anchor] = true
		}
	}
	for anchor, is := range shown {
		if !is {
			t.Errorf("no case shows docs/contract.md#%s", anchor)
		}
	}
}
