package conformance

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"automatic-rostering/tests/conformance/hostile"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/suite"
)

var update = flag.Bool("update", false, "write what the hosts do into recorded, and the tables of docs/hosts.md")

var records sync.Mutex

// readRecord reads a file of recorded, by the names of hosts or languages.
func readRecord[T any](t *testing.T, file string) (record map[string]T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("recorded", file))
	if err == nil {
		err = json.Unmarshal(b, &record)
	}
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// isRecorded reports whether a host does what the record says.
func isRecorded[T any](t *testing.T, file, name string, got T) bool {
	records.Lock()
	defer records.Unlock()
	return reflect.DeepEqual(got, readRecord[T](t, file)[name])
}

// compareRecord compares what a host does with the record, or writes it.
func compareRecord[T any](t *testing.T, file, name string, got T) {
	t.Helper()
	records.Lock()
	defer records.Unlock()
	record := readRecord[T](t, file)
	if reflect.DeepEqual(got, record[name]) {
		return
	}
	if !*update {
		b, _ := json.Marshal(got)
		t.Errorf("recorded/%s does not say what %s does: %s; make matrix writes it", file, name, b)
		return
	}
	record[name] = got
	b, err := json.MarshalIndent(record, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join("recorded", file), append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

// The tables of pages are those of the records, and of the rows.
func TestTables(t *testing.T) {
	rows, err := suite.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/rows")))
	if err != nil {
		t.Fatal(err)
	}
	checkTables(t, "docs/hosts.md", map[string]string{"matrix": versionsTable(t), "redirects": redirectsTable(t), "hostile": hostileTable(t)})
	checkTables(t, "docs/sdk.md", map[string]string{"rows": rowsTable(rows), "differences": differencesTable(rows)})
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
