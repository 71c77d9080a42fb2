package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"automatic-rostering.example/sandbox"
)

// facts has what a client of the sandbox needs.
type facts struct {
	Sandbox    string            `json:"sandbox"`
	ControlURL string            `json:"control_url"`
	Env        map[string]string `json:"env"`
	Production map[string]string `json:"env_production"`
}

// controls are examples of the controls, in which URL is to be replaced.
const controls = `
# fail the next two job requests; those to one path; delay, hold or cut off requests; clear all faults
curl URL/faults -d '{"server":"jobs","status":503,"headers":{"Retry-After":"1"},"requests":2}'
curl URL/faults -d '{"server":"jobs","path":"/orders","status":500}'
curl URL/faults -d '{"server":"auth","delay_ms":2000}'
curl URL/faults -d '{"server":"auth","hold":true}'
curl URL/faults -d '{"server":"jobs","cut_off":true}'
curl -X DELETE URL/faults

# revoke all tokens; replace the secrets of the clients; shorten the lifetime of new tokens; begin again
curl -X POST URL/revoke
curl -X POST URL/rotate
curl URL/lifetime -d '{"seconds":5}'
curl -X POST URL/reset

# show the requests, or their number; wait for a job request
curl URL/requests
curl URL/counts
curl URL/wait -d '{"job_requests":1}'

# end with Ctrl-C
`

func newFacts(s *sandbox.Sandbox) facts {
	return facts{
		Sandbox:    "made up: a stand-in for the Automatic Rostering service",
		ControlURL: s.ControlURL(),
		Env:        s.Env(sandbox.Stage),
		Production: s.Env(sandbox.Production),
	}
}

func (f facts) text(exposed bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s; the page and the controls: %s\n", f.Sandbox, f.ControlURL)
	if exposed {
		b.WriteString("# It listens beyond loopback: anyone who can connect can use the controls.\n")
	}
	b.WriteString("\n")
	different := "\n# for the production environment, set these instead\n"
	for _, name := range slices.Sorted(maps.Keys(f.Env)) { // a folder of -tls alone may have a character that a shell reads
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(f.Env[name], "'", `'\''`))
		if f.Production[name] != f.Env[name] {
			different += fmt.Sprintf("# export %s='%s'\n", name, f.Production[name])
		}
	}
	b.WriteString(different + strings.ReplaceAll(controls, "URL", f.ControlURL))
	return b.String()
}
