// Matrix writes the tables of a document, between marks, from what go test -json prints of the
// scenarios and from the records of redirects and hostile servers.
//
//	go test -count=1 -json -run Scenarios ./conformance | go run ./conformance/matrix ../docs/hosts.md
package main

import (
	"fmt"
	"os"

	"automatic-rostering/tests/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: matrix DOCUMENT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

func run(document string) error {
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
	tables := map[string]string{"matrix": hosts.matrix(), "redirects": redirects, "hostile": hostile}
	if err := report.Fill(document, "make matrix", tables); err != nil {
		return err
	}
	return hosts.failures()
}
