// Package programs runs the programs of host-example, each in its own process, against a sandbox.
package programs

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	rostering "automatic-rostering.example/rostering/sdk/go"
	"automatic-rostering.example/rostering/sdk/go/redisstore"
	"automatic-rostering.example/rostering/tests/runner/canary"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/world"
	"automatic-rostering.example/sandbox"
)

// patience bounds every wait.
const patience = 60 * time.Second

// programs are those of each language and runtime that are tested here. ffi has those in languages without a library, and the host
// in Ruby.
var programs = map[string]string{
	"go": "jobs minimal service", "node": "jobs minimal service", "deno": "jobs minimal", "bun": "jobs minimal service",
	"workerd": "jobs service", "python": "jobs minimal service", "java": "jobs minimal service", "rust": "jobs service",
	"c": "jobs jobs-cpp minimal", "ffi": "csharp luajit perl php ruby host",
}

func TestPrograms(t *testing.T) {
	for language, names := range programs {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			setup(t, language)
			for name := range strings.FieldsSeq(names) {
				t.Run(name, func(t *testing.T) {
					if name == "service" {
						testService(t, language)
					} else {
						testOnce(t, language, name)
					}
				})
			}
		})
	}
}

func setup(t *testing.T, language string) {
	if language == "ffi" {
		hosts.Require(t, "ffi")
		language = "c"
	}
	hosts.Setup(t, language, "setup")
	if language == "c" { // minimal and the host in Ruby need libextism
		hosts.Prepare(t, filepath.Join(hosts.Root(), "sdk/python/tasks.sh"), "setup")
	}
}

// testOnce runs a program that prints the jobs and ends, and then the same with an error of the service, of which a library's
// program shows the body, and with a mistake in its environment. What other mistakes lead to is a test of the libraries.
func testOnce(t *testing.T, language, name string) {
	s := start(t)
	s.wantJobs(t, language, name)
	s.wantSent(t, "at first", 1, 1)

	if strings.HasPrefix(name, "jobs") && language != "workerd" { // whose program is a service
		s.fault(t, sandbox.JobsServer, sandbox.Fault{Status: 404, Body: new("no such page")})
		_, stderr, status := s.run(t, language, name)
		if status != 1 || !strings.Contains(stderr, "service_error") || !strings.Contains(stderr, "no such page") {
			t.Errorf("with an error of the service: status %d, stderr %q", status, stderr)
		}
	}

	s.environment["ROSTERING_CLIENT_SECRET"] = "not-the-secret"
	s.secrets = append(s.secrets, "not-the-secret")
	stdout, stderr, status := s.run(t, language, name)
	if status != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "token_endpoint_rejected") {
		t.Errorf("with a wrong secret: want status 1 and a line on stderr that explains it;\nstatus %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// Processes of the host in Ruby share a token with each other and with a library, through Redis.
func TestHostInRuby(t *testing.T) {
	t.Parallel()
	setup(t, "ffi")
	hosts.Require(t, "redis")
	s, password := start(t), rand.Text()
	server, err := world.StartRedis(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.End)
	s.secrets = append(s.secrets, password)
	s.environment["REDIS_URL"] = server.URL
	options, err := redis.ParseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	id, secret := s.Client(sandbox.Stage)
	config := rostering.Config{
		Environment: sandbox.Stage, AuthURL: s.AuthURL(), BaseURL: s.BaseURL(), ClientID: id, ClientSecret: rostering.NewSecret(secret),
		CustomerID: "c", UserID: "u",
	}
	library, err := rostering.New(t.Context(), config, rostering.WithStore(redisstore.New(redis.NewClient(options))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = library.Close() })

	// A slow token endpoint: so the second process finds the lock of the first.
	s.fault(t, sandbox.AuthServer, sandbox.Fault{DelayMS: 1000})
	var both sync.WaitGroup
	both.Go(func() { s.wantJobs(t, "ffi", "host") })
	both.Go(func() { s.wantJobs(t, "ffi", "host") })
	both.Wait()
	s.ClearFaults()
	s.wantSent(t, "two processes at once", 1, 2)
	_, err = library.ListJobs(t.Context())
	s.wantSent(t, "a library", 1, 3)
	time.Sleep(10 * time.Second) // until then, a refused token may be one of which the service does not know yet
	s.Revoke()
	s.wantJobs(t, "ffi", "host")
	s.wantSent(t, "a process with a revoked token", 2, 5)
	_, err2 := library.ListJobs(t.Context())
	s.wantSent(t, "the library with the revoked token", 2, 7)
	if err != nil || err2 != nil {
		t.Errorf("the library: %v, %v", err, err2)
	}
	server.End()
	s.wantJobs(t, "ffi", "host")
	s.wantSent(t, "a process without Redis", 3, 8)
}

// setting is a sandbox, and the environment of a program that uses it.
type setting struct {
	*sandbox.Sandbox
	environment map[string]string
	secrets     []string
}

func start(t *testing.T) *setting {
	t.Helper()
	s, err := sandbox.Start(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	environment := s.Env(sandbox.Stage)
	environment["NO_PROXY"], environment["PORT"] = "127.0.0.1", "0"
	return &setting{s, environment, []string{environment["ROSTERING_CLIENT_SECRET"], "eyJhbGciOi"}} // as every token begins
}

// command is that of a program, in an empty folder. It is killed if it takes longer than a start, its waits and its end may.
func (s *setting) command(t *testing.T, language, program string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 3*patience)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, filepath.Join(hosts.Root(), "host-example/run.sh"), language, program)
	command.Dir = t.TempDir()
	command.WaitDelay = time.Second // for what the program itself has started
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "ROSTERING_") {
			command.Env = append(command.Env, variable)
		}
	}
	for name, value := range s.environment {
		command.Env = append(command.Env, name+"="+value)
	}
	return command
}

// run runs a program to its end.
func (s *setting) run(t *testing.T, language, program string) (stdout, stderr string, status int) {
	t.Helper()
	var out, log bytes.Buffer
	command := s.command(t, language, program)
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	s.wantNoSecret(t, out.String()+log.String())
	return out.String(), log.String(), command.ProcessState.ExitCode()
}

// wantJobs runs a program, which must print the jobs.
func (s *setting) wantJobs(t *testing.T, language, program string) {
	t.Helper()
	if stdout, stderr, status := s.run(t, language, program); status != 0 || stderr != "" || !strings.Contains(stdout, "sandbox-job-1") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func (s *setting) fault(t *testing.T, server string, f sandbox.Fault) {
	t.Helper()
	if err := s.SetFault(server, f); err != nil {
		t.Fatal(err)
	}
}

// client keeps no connections: a program that ends would wait for them.
var client = http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// get wants a response of a program with a status and a text, and nothing of an error's body. It returns its Retry-After.
func get(t *testing.T, url string, status int, wanted string) (retryAfter string) {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status || !bytes.Contains(body, []byte(wanted)) || bytes.Contains(body, []byte("affair")) {
		t.Errorf("%s: %d, %q, %v; want %d, %q", url, response.StatusCode, body, err, status, wanted)
	}
	return response.Header.Get("Retry-After")
}

func (s *setting) wantSent(t *testing.T, when string, tokens, jobs int) {
	t.Helper()
	if got, want := s.Counts(), (sandbox.Counts{TokenRequests: tokens, JobRequests: jobs}); got != want {
		t.Errorf("%s: %+v were sent, not %+v", when, got, want)
	}
}

func (s *setting) wantNoSecret(t *testing.T, text string) {
	t.Helper()
	for _, secret := range s.secrets {
		if canary.Shows(text, secret) {
			t.Error("a secret or a token is in what the program wrote")
		}
	}
}
