// Package exports implements the exports that are neither a step of a flow nor a pure function
// of the service's package: direct calls, check and version.
package exports

import (
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
)

const (
	// version is that of all packages; it repeats the file VERSION.
	version = "0.1.0"
	// contract is that of docs/contract.md, which says when it rises.
	contract = 1
)

// Check implements the export check: it validates the config.
func Check(h host.Host, rawInput []byte) host.Result {
	err := input.Nothing(rawInput)
	if err == nil {
		err = config.Check(h.Config)
	}
	if err != nil {
		return host.Fail(err)
	}
	return host.Result{}
}

// Version implements the export version.
func Version(_ host.Host, rawInput []byte) host.Result {
	if err := input.Nothing(rawInput); err != nil {
		return host.Fail(err)
	}
	return host.Result{Text: []byte(`{"version":"` + version + `","contract":` + ascii.Int(contract) + `}`)}
}
