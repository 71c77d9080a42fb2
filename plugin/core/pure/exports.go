package pure

import (
	"automatic-rostering.example/rostering/plugin/core/config"
	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/service"
	"automatic-rostering.example/rostering/plugin/core/version"
)

// Export is an export that sends nothing.
type Export func(host.Host, []byte) host.Result

// Named returns the export with a name, or nil.
func Named(name string) Export {
	switch name {
	case "configure":
		return Configure
	case "begin":
		return flow.Begin
	case "resume":
		return flow.Resume
	case "request":
		return service.Request
	case "explain":
		return service.Explain
	case "status":
		return flow.Status
	case "set_token":
		return flow.SetToken
	case "clear_token":
		return flow.ClearToken
	case "check":
		return config.Check
	case "version":
		return version.Version
	}
	return nil
}
