package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/run"
)

// Each scenario's rule names a section of docs/contract.md, by the anchor that its
// heading has on GitHub.
func TestAnchors(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(hosts.Root(), "docs/contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(b), -1) {
		text := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		anchors[strings.ReplaceAll(text, " ", "-")] = true
	}
	for _, s := range scenarios(t, &run.Host{Steps: true}) {
		if !anchors[s.Anchor()] {
			t.Errorf("%s/%s: docs/contract.md has no section #%s", s.Group, s.Name, s.Anchor())
		}
	}
}
