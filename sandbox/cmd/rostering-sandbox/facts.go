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
	Controls   []example         `json:"controls"`
}

// example is a request to the control API.
type example struct {
	Effect string `json:"effect"`
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   string `json:"body,omitempty"`
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

func newFacts(s *sandbox.Sandbox) facts {
	return facts{
		Sandbox:    "made up: a stand-in for the Automatic Rostering service",
		AuthURL:    s.AuthURL(),
		BaseURL:    s.BaseURL(),
		ControlURL: s.ControlURL(),
		Env:        s.Env(sandbox.Stage),
		Production: s.Env(sandbox.Production),
		Controls:   controls(s.ControlURL()),
	}
}

func controls(url string) []example {
	return []example{
		{"fail the next two job requests", "POST", url + "/faults", `{"server":"jobs","status":503,"headers":{"Retry-After":"1"},"requests":2}`},
		{"delay token requests", "POST", url + "/faults", `{"server":"auth","delay_ms":2000}`},
		{"hold token requests until the faults are cleared", "POST", url + "/faults", `{"server":"auth","hold":true}`},
		{"cut off job requests", "POST", url + "/faults", `{"server":"jobs","cut_off":true}`},
		{"clear all faults", "DELETE", url + "/faults", ""},
		{"revoke all tokens", "POST", url + "/revoke", ""},
		{"replace the secrets of the clients", "POST", url + "/rotate", ""},
		{"shorten the lifetime of new tokens", "POST", url + "/lifetime", `{"seconds":5}`},
		{"count the requests", "GET", url + "/counts", ""},
		{"wait for a request", "POST", url + "/wait", `{"job_requests":1}`},
		{"show the requests", "GET", url + "/requests", ""},
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
	for _, name := range names {
		fmt.Fprintf(&b, "export %s=%s\n", name, quote(f.Env[name]))
	}
	b.WriteString("\n# for the production environment, set these three instead\n")
	for _, name := range names[2:5] {
		fmt.Fprintf(&b, "# export %s=%s\n", name, quote(f.Production[name]))
	}
	for _, e := range f.Controls {
		fmt.Fprintf(&b, "\n# %s\n%s\n", e.Effect, e.curl())
	}
	b.WriteString("\n# end with Ctrl-C\n")
	return b.String()
}

func (e example) curl() string {
	line := "curl -X " + e.Method + " " + e.URL
	if e.Body != "" {
		line += " -d " + quote(e.Body)
	}
	return line
}

// quote returns s as one word of a POSIX shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
