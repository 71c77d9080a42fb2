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

// The tables of docs/hosts.md are those of the records.
func TestTables(t *testing.T) {
	page := filepath.Join(hosts.Root(), "docs/hosts.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for form, table := range map[string]string{"matrix": versionsTable(t), "redirects": redirectsTable(t), "hostile": hostileTable(t)} {
		begin, end := "<!-- "+form+": written by make matrix -->\n", "<!-- end of "+form+" -->"
		before, rest, first := strings.Cut(text, begin)
		_, after, second := strings.Cut(rest, end)
		if !first || !second {
			t.Fatalf("docs/hosts.md has no marks %s and %s", begin, end)
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
		t.Error("the tables of docs/hosts.md are not those of tests/conformance/recorded: make matrix writes them")
	}
}

const driver = "-driver" // ends the name of a host whose calls a library makes

// versionsTable has what runs on each host, and below what it cannot do.
func versionsTable(t *testing.T) string {
	versions := readRecord[string](t, "versions.json")
	text, reasons := row("host", "the plugin's direct calls", "client library")+rule(3), ""
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		deviations, err := readDeviations(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range deviations {
			reasons += fmt.Sprintf("\n- **%s**: %s", name, d.Why)
		}
		if base, library := strings.CutSuffix(name, driver); library && versions[base] == "" {
			text += row(base, "", versions[name])
			continue
		}
		if slices.ContainsFunc([]string{driver, "poison", "core", "-nowasi"}, func(part string) bool { return strings.Contains(name, part) }) {
			continue
		}
		library := versions[name+driver]
		if library == versions[name] {
			library = "the same"
		}
		text += row(name, versions[name], library)
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
			name, of := strings.TrimSuffix(library, driver), record[library]
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
