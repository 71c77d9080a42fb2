package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"automatic-rostering/tests/conformance/hostile"
	"automatic-rostering/tests/conformance/redirect"
)

// driver ends the name of a host whose calls are made by its language's driver.
const driver = "-driver"

// variants are parts of the names of hosts that the table omits.
var variants = []string{driver, "poison", "core", "-nowasi"}

// matrix returns the table of languages, with the deviations of all hosts below.
func (all hosts) matrix() string {
	var text strings.Builder
	header(&text, "host", "versions", "direct calls", "client library")
	for _, name := range all.names() {
		if slices.ContainsFunc(variants, func(part string) bool { return strings.Contains(name, part) }) {
			continue
		}
		versions, driven := all[name].versions, ""
		if h := all[name+driver]; h != nil {
			driven = h.tally.String()
			if h.versions != versions {
				versions += "; the library with " + h.versions
			}
		}
		row(&text, name, versions, all[name].tally.String(), driven)
	}
	for _, name := range all.names() {
		for _, why := range all[name].reasons {
			fmt.Fprintf(&text, "\n- **%s**: %s", name, why)
		}
	}
	return text.String() + "\n"
}

// redirects returns the table of what hosts do with redirects.
func redirects() (string, error) {
	recorded, err := redirect.Recorded()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	header(&text, "host", "the token endpoint redirects", "the service redirects")
	for _, language := range slices.Sorted(maps.Keys(recorded)) {
		row(&text, language, outcomes(recorded[language].Token), outcomes(recorded[language].Jobs))
	}
	return text.String(), nil
}

// hostileServers returns the table of how calls to hostile servers end in each library.
func hostileServers() (string, error) {
	recorded, err := hostile.Recorded()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	header(&text, "what a server does", "as the token endpoint", "as the service")
	for _, k := range hostile.Kinds {
		token, service := map[string][]string{}, map[string][]string{}
		for _, library := range slices.Sorted(maps.Keys(recorded)) {
			name := strings.TrimSuffix(library, driver)
			of := recorded[library]
			token[of.Token[k.Name]] = append(token[of.Token[k.Name]], name)
			service[of.Service[k.Name]] = append(service[of.Service[k.Name]], name)
		}
		row(&text, k.Name, byOutcome(token), byOutcome(service))
	}
	return text.String(), nil
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

// outcomes groups statuses by outcome: "301, 302: …; 307: …".
func outcomes(of redirect.Outcomes) string {
	var texts []string // in the order of their first statuses
	statuses := map[string][]string{}
	for _, status := range redirect.Statuses {
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

func (all hosts) names() []string { return slices.Sorted(maps.Keys(all)) }

func (all hosts) failures() error {
	failed := 0
	for _, h := range all {
		failed += h.tally.failed
	}
	if failed > 0 {
		return fmt.Errorf("%d scenarios failed", failed)
	}
	return nil
}

func (n tally) String() string {
	all := n.passed + n.deviating + n.failed
	if n.passed == all {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d of %d", n.passed, all)
}

func header(text *strings.Builder, cells ...string) {
	row(text, cells...)
	text.WriteString("|" + strings.Repeat(" --- |", len(cells)) + "\n")
}

func row(text *strings.Builder, cells ...string) {
	fmt.Fprintf(text, "| %s |\n", strings.Join(cells, " | "))
}
