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
	"automatic-rostering/tests/conformance/hostile"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/suite"
)

// The tables of pages are those of the records, and of the rows.
func TestTables(t *testing.T) {
	rows, err := suite.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/rows")))
	if err != nil {
		t.Fatal(err)
	}
	checkTables(t, "docs/hosts.md", map[string]string{"matrix": versionsTable(t), "redirects": redirectsTable(t), "hostile": hostileTable(t)})
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
		t.Errorf("the tables of %s are not those of tests/rows and tests/conformance/recorded: make matrix writes them", file)
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
	raw, libraries := readRecord[string](t, "versions.json"), readRecord[string](t, "libraries.json")
	text, reasons := row("host", "the plugin's direct calls", "client library")+rule(3), ""
	all := maps.Clone(raw)
	maps.Copy(all, libraries)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		deviations, err := readDeviations(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range deviations {
			reasons += fmt.Sprintf("\n- **%s**: %s", name, d.Why)
		}
		if !slices.ContainsFunc([]string{"poison", "core", "-nowasi"}, func(part string) bool { return strings.Contains(name, part) }) {
			text += row(name, raw[name], libraries[name])
		}
	}
	return text + reasons + "\n"
}

func redirectsTable(t *testing.T) string {
	record := readRecord[redirects](t, "redirects.json")
	text := row("host", "the token endpoint redirects", "the service redirects") + rule(3)
	for _, language := range slices.Sorted(maps.Keys(record)) {
		text += row(language, outcomes(record[language].Token), outcomes(record[language].Jobs))
	}
	return text
}

// outcomes groups statuses by outcome: "301, 302: …; 307: …".
func outcomes(of redirectOutcomes) string {
	var texts []string // in the order of their first statuses
	statuses := map[string][]string{}
	for _, status := range redirectStatuses {
		text := of[status]
		if statuses[text] == nil {
			texts = append(texts, text)
		}
		statuses[text] = append(statuses[text], fmt.Sprint(status))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = strings.Join(statuses[text], ", ") + ": " + text
	}
	return strings.Join(texts, "; ")
}

func hostileTable(t *testing.T) string {
	record := readRecord[hostile.Result](t, "hostile.json")
	text := row("what a server does", "as the token endpoint", "as the service") + rule(3)
	for _, k := range hostile.Kinds {
		token, service := map[string][]string{}, map[string][]string{}
		for _, library := range slices.Sorted(maps.Keys(record)) {
			name, of := library, record[library]
			token[of.Token[k.Name]] = append(token[of.Token[k.Name]], name)
			service[of.Service[k.Name]] = append(service[of.Service[k.Name]], name)
		}
		text += row(k.Name, byOutcome(token), byOutcome(service))
	}
	return text
}

// byOutcome returns the most frequent outcome, and the others with the libraries that have them.
func byOutcome(libraries map[string][]string) string {
	texts := slices.SortedFunc(maps.Keys(libraries), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(libraries[b]), len(libraries[a])), cmp.Compare(a, b))
	})
	for n, text := range texts[1:] {
		texts[n+1] = strings.Join(libraries[text], ", ") + ": " + text
	}
	return strings.Join(texts, "; ")
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func rule(cells int) string { return "|" + strings.Repeat(" --- |", cells) + "\n" }
