// Package programs runs the programs of host-example, each in its own process, against a sandbox.
package programs

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
	"automatic-rostering/tests/conformance/hosts"
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
		if !hosts.Wanted(p.language) {
			continue
		}
		t.Run(p.language, func(t *testing.T) {
			t.Parallel()
			if p.language != "go" {
				hosts.Setup(t, p.language, "setup")
			}
			for _, name := range p.once {
				t.Run(name, func(t *testing.T) { testOnce(t, p.language, name) })
			}
			if p.service {
				t.Run("service", func(t *testing.T) { testService(t, p.language, p.ends) })
			}
		})
	}
}

// testOnce runs a program that prints the jobs and ends, and then the same with a mistake in its environment. What other
// mistakes lead to is a test of the libraries.
func testOnce(t *testing.T, language, name string) {
	s := start(t)
	stdout, stderr, status := s.run(t, language, name)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "sandbox-job-1") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if got := s.Counts(); got.TokenRequests != 1 || got.JobRequests != 1 {
		t.Errorf("it sent %+v", got)
	}

	s.environment["ROSTERING_CLIENT_SECRET"] = "not-the-secret"
	s.secrets = append(s.secrets, "not-the-secret")
	stdout, stderr, status = s.run(t, language, name)
	if status != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "token_endpoint_rejected") {
		t.Errorf("with a wrong secret: want status 1 and a line on stderr that explains it;\nstatus %d, stdout %q, stderr %q", status, stdout, stderr)
	}
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
	return &setting{s, environment, []string{environment["ROSTERING_CLIENT_SECRET"], "eyJ"}} // as every token begins
}

// command is that of a program, in an empty folder. It is killed when patience is over.
func (s *setting) command(t *testing.T, language, program string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, filepath.Join(hosts.Root(), "host-example/run.sh"), language, program)
	command.Dir = t.TempDir()
	command.WaitDelay = time.Second // for what the program itself has started
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "ROSTERING_") })
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
	s.wantNoSecret(t, out.String(), log.String())
	return out.String(), log.String(), command.ProcessState.ExitCode()
}

func (s *setting) wantNoSecret(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		for _, secret := range s.secrets {
			if strings.Contains(text, secret) {
				t.Error("a secret or a token is in what the program wrote")
			}
		}
	}
}
