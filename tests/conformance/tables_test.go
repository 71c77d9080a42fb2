package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/contract"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/suite"
)

// The tables of pages are those of the records, and of the rows.
func TestTables(t *testing.T) {
	rows, err := suite.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/rows")))
	if err != nil {
		t.Fatal(err)
	}
	checkTables(t, "docs/hosts.md", map[string]string{"matrix": versionsTable(t), "redirects": redirectsTable(), "hostile": hostileTable()})
	checkTables(t, "docs/sdk.md", map[string]string{"rows": rowsTable(rows), "differences": differencesTable(rows)})
	checkTables(t, "README.md", map[string]string{"config": configTable(t)})
}

// configTable has the keys of the schema, in its order, with their descriptions there.
func configTable(t *testing.T) string {
	t.Helper()
	keys, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	text := row("field", "variable", "meaning") + rule(3)
	for _, key := range keys {
		text += row("`"+key.Name+"`", "`ROSTERING_"+strings.ToUpper(key.Name)+"`", key.Description)
	}
	return text
}

func checkTables(t *testing.T, file string, tables map[string]string) {
	page := filepath.Join(hosts.Root(), file)
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for form, table := range tables {
		begin, end := "<!-- "+form+": written by make matrix -->\n", "<!-- end of "+form+" -->"
		before, rest, first := strings.Cut(text, begin)
		_, after, second := strings.Cut(rest, end)
		if !first || !second {
			t.Fatalf("%s has no marks %s and %s", file, begin, end)
		}
		text = before + begin + "\n" + table + "\n" + end + after
	}
	switch {
	case text == string(b):
	case *update:
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("the tables of %s are not those of tests/rows and tests/conformance/recorded.json: make matrix writes them", file)
	}
}

func rowsTable(rows []suite.Row) string {
	text := row("row", "behavior") + rule(2)
	for _, r := range rows {
		if r.Rule != "" {
			text += row("`"+r.Name+"`", r.Rule)
		}
	}
	return text
}

// differencesTable has a line for each row and reason, with the languages that have it.
func differencesTable(rows []suite.Row) string {
	text := row("row", "library", "why") + rule(3)
	for _, r := range rows {
		libraries := map[string][]string{} // by reason
		add := func(differences map[string]string, of string) {
			for _, library := range slices.Sorted(maps.Keys(differences)) {
				why := differences[library] + of
				libraries[why] = append(libraries[why], library)
			}
		}
		add(r.Differences, "")
		for _, c := range r.Cases {
			add(c.Differences, " (in: "+c.Name+")")
		}
		for _, why := range slices.Sorted(maps.Keys(libraries)) {
			text += row("`"+r.Name+"`", strings.Join(libraries[why], ", "), why)
		}
	}
	return text
}

// versionsTable has what runs on each host, and below what it cannot do.
func versionsTable(t *testing.T) string {
	text, reasons, deviations := row("host", "the plugin's direct calls", "client library")+rule(3), "", readDeviations(t)
	all := maps.Clone(recorded.Hosts)
	maps.Copy(all, recorded.Libraries)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, scenario := range slices.Sorted(maps.Keys(deviations[name])) {
			reasons += fmt.Sprintf("\n- **%s**: %s", name, deviations[name][scenario])
		}
		if !slices.ContainsFunc([]string{"poison", "core", "-nowasi"}, func(part string) bool { return strings.Contains(name, part) }) {
			text += row(name, recorded.Hosts[name], recorded.Libraries[name])
		}
	}
	return text + reasons + "\n"
}

// redirectsTable groups statuses by outcome: "301, 302: …; 307: …".
func redirectsTable() string {
	text := row("host", "the token endpoint redirects", "the service redirects") + rule(3)
	for _, language := range slices.Sorted(maps.Keys(recorded.Redirects)) {
		cell := func(of map[string]string) string {
			statuses, texts := group(of)
			if len(texts) == 1 {
				return texts[0]
			}
			slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(statuses[a][0], statuses[b][0]) })
			return strings.Join(listed(texts, statuses), "; ")
		}
		text += row(language, cell(recorded.Redirects[language].Token), cell(recorded.Redirects[language].Service))
	}
	return text
}

// hostileTable has the most frequent outcome of each kind, and the others with the libraries that have them.
func hostileTable() string {
	text := row("what a server does", "as the token endpoint", "as the service") + rule(3)
	for _, k := range kinds {
		token, service := map[string]string{}, map[string]string{}
		for library, of := range recorded.Hostile {
			token[library], service[library] = of.Token[k.name], of.Service[k.name]
		}
		cell := func(of map[string]string) string {
			libraries, texts := group(of)
			slices.SortStableFunc(texts, func(a, b string) int { return len(libraries[b]) - len(libraries[a]) })
			return strings.Join(append(texts[:1], listed(texts[1:], libraries)...), "; ")
		}
		text += row(k.name, cell(token), cell(service))
	}
	return text
}

// group returns the names that have each outcome, and the outcomes, both sorted.
func group(of map[string]string) (names map[string][]string, outcomes []string) {
	names = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		names[of[name]] = append(names[of[name]], name)
	}
	return names, slices.Sorted(maps.Keys(names))
}

// listed writes each outcome with the names that have it.
func listed(outcomes []string, names map[string][]string) (texts []string) {
	for _, outcome := range outcomes {
		texts = append(texts, strings.Join(names[outcome], ", ")+": "+outcome)
	}
	return texts
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func rule(cells int) string { return "|" + strings.Repeat(" --- |", cells) + "\n" }
