package runner

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/contract"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/rule"
)

var update = flag.Bool("update", false, "write the tables of pages")

// The tables of pages are those of the rules and of the schema.
func TestTables(t *testing.T) {
	rules := load(t)
	wantTable(t, "tests/behavior.md", "gaps", differencesTable(rules, false))
	wantTable(t, "tests/behavior.md", "differences", differencesTable(rules, true))
	wantTable(t, "README.md", "config", configTable(t))
}

// wantTable wants a table of a page to have these rows, the first of which is its head.
func wantTable(t *testing.T, file, name string, rows [][]string) {
	t.Helper()
	page := filepath.Join(hosts.Root(), file)
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": written by make matrix -->\n\n", "\n<!-- end of "+name+" -->"
	before, rest, _ := strings.Cut(string(b), begin)
	got, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no marks %s and %s", page, begin, end)
	}
	dashes := slices.Repeat([]string{"---"}, len(rows[0]))
	want := ""
	for _, row := range slices.Insert(rows, 1, dashes) {
		want += "| " + strings.Join(row, " | ") + " |\n"
	}
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("the table %s of %s is not that of the rules or the schema: make matrix writes it", name, file)
	}
}

// configTable has the keys of the schema, in its order, with their descriptions there.
func configTable(t *testing.T) [][]string {
	t.Helper()
	keys, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]string{{"field", "variable", "meaning"}}
	for _, key := range keys {
		rows = append(rows, []string{"`" + key.Name + "`", "`ROSTERING_" + strings.ToUpper(key.Name) + "`", key.Description})
	}
	return rows
}

// differencesTable has a row for each rule and reason, with the players that have it: those of libraries, or of raw hosts.
func differencesTable(rules []rule.Rule, libraries bool) [][]string {
	rows := [][]string{{"rule", "player", "why"}}
	for _, r := range rules {
		if (r.Text != "") != libraries {
			continue
		}
		players := map[string][]string{} // by reason
		add := func(differences map[string]string) {
			for _, player := range slices.Sorted(maps.Keys(differences)) {
				if why := differences[player]; !slices.Contains(players[why], player) {
					players[why] = append(players[why], player)
				}
			}
		}
		add(r.Differences)
		for _, c := range r.Cases {
			add(c.Differences)
		}
		for _, why := range slices.Sorted(maps.Keys(players)) {
			rows = append(rows, []string{"`" + r.Name + "`", strings.Join(players[why], ", "), why})
		}
	}
	return rows
}
