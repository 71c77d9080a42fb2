package runner

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/contract"
	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// Each rule of the plugin is a section of docs/contract.md, by the anchor that its heading has on GitHub, and each section that
// states a rule has cases. So have each key of the config in the schema, as a row, and each code in cases of libraries.
func TestCoverage(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(hosts.Root(), "docs/contract.md"))
	keys, codes, err2 := contract.Lists(hosts.Root())
	if err := cmp.Or(err, err2); err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{} // whether a case shows it
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(b), -1) {
		text := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		shown["#"+strings.ReplaceAll(text, " ", "-")] = false
	}
	delete(shown, "#the-contract-for-host-authors") // its title
	delete(shown, "#reference")                     // that of the sections below
	delete(shown, "#without-extism")                // by which the players of the core's build play all rules
	for _, key := range keys {
		shown["the key "+key.Name] = false
	}
	for _, code := range codes {
		shown["the code "+code] = false
	}
	for _, r := range load(t) {
		for _, c := range r.Cases {
			if _, exists := shown["#"+c.Anchor]; !exists && c.Players != "libraries" {
				t.Errorf("%s: docs/contract.md has no section #%s", c.FullName(), c.Anchor)
			}
			shown["#"+c.Anchor] = true
			if family, row, isRow := strings.Cut(c.FullName(), ": "); isRow && strings.HasPrefix(family, "config-at-open/a key") {
				shown["the key "+row] = true
			}
			for _, s := range c.Steps {
				if c.Players != "plugin" {
					shown["the code "+cmp.Or(s.Error.Code(), s.Fails.Code())] = true
				}
			}
		}
	}
	for what, is := range shown {
		if !is {
			t.Errorf("no case shows %s", what)
		}
	}
}
