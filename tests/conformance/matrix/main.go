// Matrix writes into documents what go test -json says of the scenarios, between marks
// that name the form: matrix for the whole of it, hosts for the short one.
//
//	go test -count=1 -json -run Scenarios ./conformance | go run ./conformance/matrix ../docs/hosts.md ../README.md
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "matrix: into which documents?")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

func run(documents []string) error {
	hosts, err := read(os.Stdin)
	if err != nil {
		return err
	}
	redirects, err := redirects()
	if err != nil {
		return err
	}
	forms := map[string]string{"matrix": hosts.matrix(), "hosts": hosts.short(), "redirects": redirects}
	for _, document := range documents {
		if err := replace(document, forms); err != nil {
			return err
		}
	}
	return hosts.failures()
}

// replace puts each form between its marks, where a document has them.
func replace(document string, forms map[string]string) error {
	b, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text := string(b)
	found := false
	for form, table := range forms {
		begin, end := "<!-- "+form+": written by make matrix -->\n", "<!-- end of "+form+" -->"
		before, rest, first := strings.Cut(text, begin)
		_, after, second := strings.Cut(rest, end)
		if first && second {
			found = true
			text = before + begin + "\n" + table + "\n" + end + after
		}
	}
	if !found {
		return fmt.Errorf("%s has no marks such as <!-- matrix: written by make matrix -->", document)
	}
	return os.WriteFile(document, []byte(text), 0o644)
}
