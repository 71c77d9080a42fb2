package runner

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"automatic-rostering/tests/runner/contract"
	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/rule"
)

var update = flag.Bool("update", false, "write the tables of pages, and the versions of what plays the rules")

// The tables of pages are those of the rules and of the schema.
func TestTables(t *testing.T) {
	rules := load(t)
	checkTables(t, "docs/hosts.md", map[string]string{"gaps": differencesTable(rules, false)})
	checkTables(t, "tests/behavior.md", map[string]string{"differences": differencesTable(rules, true)})
	checkTables(t, "README.md", map[string]string{"config": configTable(t)})
}

// configTable has the keys of the schema, in its order, with their descriptions there.
func configTable(t *testing.T) string {
	t.Helper()
	keys, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	text := line("field", "variable", "meaning") + dashes(3)
	for _, key := range keys {
		text += line("`"+key.Name+"`", "`ROSTERING_"+strings.ToUpper(key.Name)+"`", key.Description)
	}
	return text
}

var pages sync.Mutex

// tableOf returns a table of a page, and what stands before and after it.
func tableOf(t *testing.T, page, name string) (before, table, after string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": written by make matrix -->\n\n", "\n<!-- end of "+name+" -->"
	before, rest, first := strings.Cut(string(b), begin)
	table, after, second := strings.Cut(rest, end)
	if !first || !second {
		t.Fatalf("%s has no marks %s and %s", page, begin, end)
	}
	return before + begin, table, end + after
}

func checkTables(t *testing.T, file string, tables map[string]string) {
	pages.Lock()
	defer pages.Unlock()
	page := filepath.Join(hosts.Root(), file)
	for name, want := range tables {
		before, got, after := tableOf(t, page, name)
		switch {
		case got == want:
		case *update:
			if err := os.WriteFile(page, []byte(before+want+after), 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("the table %s of %s is not that of tests/rules: make matrix writes it", name, file)
		}
	}
}

// noteVersions writes what a player runs into the table of docs/hosts.md.
func noteVersions(t *testing.T, h hosts.Host) {
	versions, err := h.Versions()
	if err != nil {
		t.Fatal(err)
	}
	column := 1
	if h.Library {
		column = 2
	} else if h.Variant() {
		return
	}
	pages.Lock()
	defer pages.Unlock()
	page := filepath.Join(hosts.Root(), "docs/hosts.md")
	before, table, after := tableOf(t, page, "matrix")
	cells := []string{h.Name, "", ""}
	rows := slices.DeleteFunc(strings.SplitAfter(table, "\n"), func(row string) bool {
		old := strings.Split(strings.Trim(row, "| \n"), " | ")
		if old[0] == h.Name {
			cells = append(old, "")[:3]
		}
		return old[0] == h.Name
	})
	cells[column] = versions
	rows = append(rows[:len(rows)-1], line(cells...)) // without what follows the last line's end
	slices.Sort(rows[2:])
	text := strings.Join(rows, "")
	if err := os.WriteFile(page, []byte(before+text+after), 0o644); err != nil {
		t.Error(err)
	}
}

// differencesTable has a line for each rule and reason, with the players that have it: those of libraries, or of raw hosts.
func differencesTable(rules []rule.Rule, libraries bool) string {
	text := line("rule", "player", "why") + dashes(3)
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
			text += line("`"+r.Name+"`", strings.Join(players[why], ", "), why)
		}
	}
	return text
}

func line(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func dashes(cells int) string { return "|" + strings.Repeat(" --- |", cells) + "\n" }
