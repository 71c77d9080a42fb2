package main

import (
	"fmt"
	"strings"

	"automatic-rostering.example/sandbox"
)

// facts has what a client of the sandbox needs.
type facts struct {
	Sandbox    string            `json:"sandbox"`
	AuthURL    string            `json:"auth_url"`
	BaseURL    string            `json:"base_url"`
	ControlURL string            `json:"control_url"`
	Env        map[string]string `json:"env"`
	Production map[string]string `json:"env_production"`
}

// names are the environment variables in the order in which they are printed.
var names = []string{
	"ROSTERING_AUTH_URL",
	"ROSTERING_BASE_URL",
	"ROSTERING_ENVIRONMENT",
	"ROSTERING_CLIENT_ID",
	"ROSTERING_CLIENT_SECRET",
	"ROSTERING_CUSTOMER_ID",
	"ROSTERING_USER_ID",
}

// controls are examples of the control API, in which URL is to be replaced.
const controls = `
# fail the next two job requests; delay, hold or cut off requests; clear all faults
curl URL/faults -d '{"server":"jobs","status":503,"headers":{"Retry-After":"1"},"requests":2}'
curl URL/faults -d '{"server":"auth","delay_ms":2000}'
curl URL/faults -d '{"server":"auth","hold":true}'
curl URL/faults -d '{"server":"jobs","cut_off":true}'
curl -X DELETE URL/faults

# revoke all tokens; replace the secrets of the clients; shorten the lifetime of new tokens
curl -X POST URL/revoke
curl -X POST URL/rotate
curl URL/lifetime -d '{"seconds":5}'

# show the requests, or their number; wait for a job request
curl URL/requests
curl URL/counts
curl URL/wait -d '{"job_requests":1}'

# end with Ctrl-C
`

func newFacts(s *sandbox.Sandbox) facts {
	return facts{
		Sandbox:    "made up: a stand-in for the Automatic Rostering service",
		AuthURL:    s.AuthURL(),
		BaseURL:    s.BaseURL(),
		ControlURL: s.ControlURL(),
		Env:        s.Env(sandbox.Stage),
		Production: s.Env(sandbox.Production),
	}
}

func (f facts) text(exposed bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", f.Sandbox)
	fmt.Fprintf(&b, "# identity provider %s, jobs %s, page and control API %s\n", f.AuthURL, f.BaseURL, f.ControlURL)
	if exposed {
		b.WriteString("# It listens beyond loopback: anyone who can connect can use the control API.\n")
	}
	b.WriteString("\n")
	for _, name := range names { // no value has a character that a shell reads
		fmt.Fprintf(&b, "export %s=%s\n", name, f.Env[name])
	}
	b.WriteString("\n# for the production environment, set these three instead\n")
	for _, name := range names[2:5] {
		fmt.Fprintf(&b, "# export %s=%s\n", name, f.Production[name])
	}
	b.WriteString(strings.ReplaceAll(controls, "URL", f.ControlURL))
	return b.String()
}
