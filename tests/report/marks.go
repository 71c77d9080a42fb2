// Package report writes figures into documents: tables between marks, and charts.
package report

import (
	"fmt"
	"os"
	"strings"
)

// Fill puts each form between its marks, where a document has them:
//
//	<!-- FORM: written by TARGET -->
//	<!-- end of FORM -->
func Fill(document, target string, forms map[string]string) error {
	b, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text := string(b)
	found := false
	for form, table := range forms {
		begin, end := "<!-- "+form+": written by "+target+" -->\n", "<!-- end of "+form+" -->"
		before, rest, first := strings.Cut(text, begin)
		_, after, second := strings.Cut(rest, end)
		if first && second {
			found = true
			text = before + begin + "\n" + table + "\n" + end + after
		}
	}
	if !found {
		return fmt.Errorf("%s has no marks such as <!-- %s: written by %s -->", document, "FORM", target)
	}
	return os.WriteFile(document, []byte(text), 0o644)
}
