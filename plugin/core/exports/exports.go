// Package exports implements the exports that are neither a step of a flow nor a pure function
// of the service's package: direct calls, check and version.
package exports

import (
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/release"
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
	return host.Result{Text: []byte(`{"version":"` + release.Version + `","contract":` + ascii.Int(release.Contract) + `}`)}
}
