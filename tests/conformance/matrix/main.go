// Matrix writes into documents what go test -json says of the scenarios, between marks
// that name the form: matrix for the whole of it, hosts for the short one.
//
//	go test -count=1 -json -run Scenarios ./conformance | go run ./conformance/matrix ../docs/hosts.md ../README.md
package main

import (
	"fmt"
	"os"

	"automatic-rostering/tests/report"
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
	hostile, err := hostileServers()
	if err != nil {
		return err
	}
	forms := map[string]string{"matrix": hosts.matrix(), "hosts": hosts.short(), "redirects": redirects, "hostile": hostile}
	for _, document := range documents {
		if err := report.Fill(document, "make matrix", forms); err != nil {
			return err
		}
	}
	return hosts.failures()
}
