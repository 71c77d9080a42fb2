// Package programs runs the programs of host-example, each in its own process, against a sandbox.
package programs

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
	"automatic-rostering/tests/runner/canary"
	"automatic-rostering/tests/runner/hosts"
	"automatic-rostering/tests/runner/protocol"
	"automatic-rostering/tests/runner/world"
)

// patience bounds every wait.
const patience = 60 * time.Second

// programs are those of each language and runtime that are tested here.
var programs = []struct {
	language string
	once     []string // print the jobs and end
	service  bool     // the program service, too
	ends     bool     // on SIGTERM: what runs a Worker here is a development tool, which does not
}{
	{"go", []string{"jobs", "minimal"}, true, true},
	{"node", []string{"jobs", "minimal"}, true, true},
	{"deno", []string{"jobs", "minimal"}, false, false},
	{"bun", []string{"jobs", "minimal"}, true, true},
	{"workerd", []string{"jobs"}, true, false},
	{"python", []string{"jobs", "minimal"}, true, true},
	{"java", []string{"jobs", "minimal"}, true, true},
	{"rust", []string{"jobs"}, true, true},
	{"c", []string{"jobs", "jobs-cpp", "minimal"}, false, false},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.language, func(t *testing.T) {
			t.Parallel()
			hosts.Setup(t, p.language, "setup")
			for _, name := range p.once {
				t.Run(name, func(t *testing.T) { testOnce(t, p.language, name) })
			}
			if p.service {
				t.Run("service", func(t *testing.T) { testService(t, p.language, p.ends) })
			}
		})
	}
}

// The programs in languages without a library, and the host in Ruby.
func TestForeignPrograms(t *testing.T) {
	t.Parallel()
	hosts.Setup(t, "c", "setup")
	hosts.Require(t, "ffi")
	for _, name := range []string{"csharp", "luajit", "perl", "php", "ruby", "host"} {
		t.Run(name, func(t *testing.T) { testOnce(t, "ffi", name) })
	}
	t.Run("a fleet with the host", testHost)
}

// testOnce runs a program that prints the jobs and ends, and then the same with a mistake in its environment. What other
// mistakes lead to is a test of the libraries.
func testOnce(t *testing.T, language, name string) {
	s := start(t)
	s.wantJobs(t, language, name)
	s.wantSent(t, "at first", 1, 1)

	s.environment["ROSTERING_CLIENT_SECRET"] = "not-the-secret"
	s.secrets = append(s.secrets, "not-the-secret")
	stdout, stderr, status := s.run(t, language, name)
	if status != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "token_endpoint_rejected") {
		t.Errorf("with a wrong secret: want status 1 and a line on stderr that explains it;\nstatus %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// testHost has processes of the host in Ruby share a token with each other and with a library, through Redis.
func testHost(t *testing.T) {
	hosts.Require(t, "redis")
	hosts.Setup(t, "c", "adapter")
	s, password := start(t), rand.Text()
	redis, err := world.StartRedis(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.End)
	s.secrets = append(s.secrets, password)
	s.environment["REDIS_URL"] = redis.URL
	library, err := hosts.Libraries("c")[0].Process(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = library.Close() })
	do := func(r protocol.Request) {
		t.Helper()
		r.Client = "c"
		if a, err := library.Do(r); err != nil || a.Error+a.Text != "" {
			t.Fatalf("the library: %v%s%s", err, a.Error, a.Text)
		}
	}
	store := map[string]string{"name": "s", "url": redis.URL}
	fields := map[string]any{"variables": s.Env(sandbox.Stage), "store": store, "now": time.Now().Unix()}
	do(protocol.Request{Op: "open", Fields: fields})

	// A slow token endpoint: so the second process finds the lock of the first.
	if err := s.SetFault(sandbox.AuthServer, sandbox.Fault{DelayMS: 1000}); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	both.Go(func() { s.wantJobs(t, "ffi", "host") })
	both.Go(func() { s.wantJobs(t, "ffi", "host") })
	both.Wait()
	s.ClearFaults()
	s.wantSent(t, "two processes at once", 1, 2)
	do(protocol.Request{Op: "list_jobs"})
	s.wantSent(t, "a library", 1, 3)
	s.Revoke()
	s.wantJobs(t, "ffi", "host")
	s.wantSent(t, "a process with a revoked token", 2, 5)
	do(protocol.Request{Op: "list_jobs"})
	s.wantSent(t, "the library with the revoked token", 2, 7)
	redis.End()
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

// command is that of a program, in an empty folder. It is killed when patience is over.
func (s *setting) command(t *testing.T, language, program string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
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
