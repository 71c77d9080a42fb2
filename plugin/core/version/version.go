// Package version implements the export version.
package version

import (
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
)

const (
	// version is that of all packages; it repeats the file VERSION.
	version = "0.1.0"
	// contract is that of docs/contract.md, which says when it is incremented.
	contract = 1
)

// Version implements the export version.
func Version(_ host.Host, rawInput []byte) host.Result {
	if err := input.Nothing(rawInput); err != nil {
		return host.Fail(err)
	}
	return host.Result{Text: []byte(`{"version":"` + version + `","contract":` + ascii.Int(contract) + `}`)}
}
