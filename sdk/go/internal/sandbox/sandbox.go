// Package sandbox runs build/sandbox for a test: an identity provider and a jobs service on
// loopback, and a control API that makes them fail, which sandbox/doc.go describes.
package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/rostering"
)

// patience bounds every wait. It is longer than the sandbox's own bound of /wait.
const patience = 40 * time.Second

var client = &http.Client{Timeout: patience}

// Sandbox is a running sandbox. Its methods panic when they fail.
type Sandbox struct {
	Env     map[string]string `json:"env"` // for a program that calls the services
	Control string            `json:"control_url"`

	process *exec.Cmd
	stdin   io.Closer
}

// New starts a sandbox that is closed at the end of the test.
func New(t *testing.T) *Sandbox {
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a sandbox.
func Start() *Sandbox {
	s := &Sandbox{process: exec.Command(File("build/sandbox"), "-json", "-until-stdin-closes")}
	var err error
	s.stdin, err = s.process.StdinPipe()
	must(err)
	stdout, err := s.process.StdoutPipe()
	must(err)
	must(s.process.Start())
	defer s.killLater().Stop()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	must(err)
	must(json.Unmarshal(line, s))
	return s
}

// File returns the path of a file that make has built, from any directory of the repository.
func File(name string) string {
	dir, err := os.Getwd()
	must(err)
	for {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			panic(fmt.Errorf("run make build build/sandbox first: %s is missing", name))
		}
		dir = parent
	}
}

// Close ends the process.
func (s *Sandbox) Close() {
	defer s.killLater().Stop()
	_ = s.stdin.Close()
	must(s.process.Wait())
}

func (s *Sandbox) killLater() *time.Timer {
	return time.AfterFunc(patience, func() { _ = s.process.Process.Kill() })
}

// Config is the config in Env.
func (s *Sandbox) Config() rostering.Config {
	return rostering.Config{
		Environment: rostering.Environment(s.Env["ROSTERING_ENVIRONMENT"]),
		AuthURL:     s.Env["ROSTERING_AUTH_URL"], BaseURL: s.Env["ROSTERING_BASE_URL"],
		ClientID: s.Env["ROSTERING_CLIENT_ID"], ClientSecret: rostering.Secret(s.Env["ROSTERING_CLIENT_SECRET"]),
		CustomerID: s.Env["ROSTERING_CUSTOMER_ID"], UserID: s.Env["ROSTERING_USER_ID"],
	}
}

// Fault is what a server does instead of its normal response.
type Fault struct {
	Server   string            `json:"server"` // auth or jobs
	Status   int               `json:"status"` // 0 for the normal response
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
	Delay    int               `json:"delay_ms"`
	Hold     bool              `json:"hold"` // until the fault is cleared or replaced
	CutOff   bool              `json:"cut_off"`
	Requests int               `json:"requests"` // that are hit; 0 for all
}

// Fault replaces the fault of a server.
func (s *Sandbox) Fault(f Fault) { s.control("POST /faults", f, nil) }

// ClearFaults ends all faults and releases the requests that they hold.
func (s *Sandbox) ClearFaults() { s.control("DELETE /faults", nil, nil) }

// Revoke revokes all tokens issued until now.
func (s *Sandbox) Revoke() { s.control("POST /revoke", nil, nil) }

// SetLifetime sets the lifetime of tokens issued from now on.
func (s *Sandbox) SetLifetime(seconds int) {
	s.control("POST /lifetime", map[string]int{"seconds": seconds}, nil)
}

// Rotate gives the clients other secrets. Tokens stay valid.
func (s *Sandbox) Rotate() { s.control("POST /rotate", nil, nil) }

type counts struct {
	TokenRequests int `json:"token_requests"`
	JobRequests   int `json:"job_requests"`
}

// Wait waits until at least this many requests have arrived.
func (s *Sandbox) Wait(tokenRequests, jobRequests int) {
	s.control("POST /wait", counts{tokenRequests, jobRequests}, nil)
}

// WantCounts checks how many requests have arrived.
func (s *Sandbox) WantCounts(t *testing.T, tokenRequests, jobRequests int) {
	t.Helper()
	var got counts
	s.control("GET /counts", nil, &got)
	if want := (counts{tokenRequests, jobRequests}); got != want {
		t.Errorf("the requests are %+v, want %+v", got, want)
	}
}

// Request is a request that has arrived.
type Request struct {
	Server, Method, Target, Body string
	Headers                      map[string]string // names are in lower case
}

// Requests returns the requests to a server in order.
func (s *Sandbox) Requests(server string) (all []Request) {
	s.control("GET /requests", nil, &all)
	return slices.DeleteFunc(all, func(r Request) bool { return r.Server != server })
}

func (s *Sandbox) control(what string, input, output any) {
	object, err := json.Marshal(input)
	must(err)
	method, path, _ := strings.Cut(what, " ")
	request, err := http.NewRequest(method, s.Control+path, bytes.NewReader(object))
	must(err)
	response, err := client.Do(request)
	must(err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode/100 != 2 {
		panic(fmt.Errorf("%s: status %d: %s", what, response.StatusCode, content))
	}
	if output != nil {
		must(json.Unmarshal(content, output))
	}
}

func must(err error) {
	if err != nil {
		panic(fmt.Errorf("sandbox: %w", err))
	}
}
