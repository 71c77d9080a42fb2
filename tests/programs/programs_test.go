// Package programs runs the programs of host-example, each in its own process, against a sandbox.
package programs

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	{"bun", []string{"jobs", "minimal"}, false, false},
	{"workerd", []string{"jobs"}, true, false},
	{"python", []string{"jobs", "minimal"}, true, true},
	{"java", []string{"jobs", "minimal"}, true, true},
	{"rust", []string{"jobs"}, true, true},
	{"c", []string{"jobs", "jobs-cpp", "minimal"}, false, false},
}

func TestEveryLanguageHasPrograms(t *testing.T) {
	for _, language := range hosts.Languages() {
		found := false
		for _, p := range programs {
			found = found || p.language == language
		}
		if !found {
			t.Errorf("the programs of %s are not tested", language)
		}
	}
}

// failures are mistakes in the environment, and what the line that explains each must contain.
var failures = []struct{ name, variable, value, code, mend string }{
	{"a wrong secret", "ROSTERING_CLIENT_SECRET", "not-the-secret", "token_endpoint_rejected", "client_?secret"},
	{"no service", "ROSTERING_BASE_URL", "http://127.0.0.1:2", "network_error", "base_?url"},
	{"a missing variable", "ROSTERING_CLIENT_ID", "", "config_missing", "client_?id"},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		if !hosts.Wanted(p.language) {
			continue
		}
		t.Run(p.language, func(t *testing.T) {
			t.Parallel()
			if p.language != "go" {
				hosts.Setup(t, p.language)
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

// foreign are the programs that use the C library, and what fails where their language is missing.
var foreign = []struct {
	name  string
	needs []string
}{
	{"csharp", []string{"sh", "-c", "command -v mcs && command -v mono"}},
	{"luajit", []string{"luajit", "-v"}},
	{"perl", []string{"perl", "-MFFI::Platypus", "-e", "1"}},
	{"php", []string{"php", "-r", "exit(extension_loaded('FFI') ? 0 : 1);"}},
	{"ruby", []string{"ruby", "-rffi", "-e", "1"}},
}

func TestForeignPrograms(t *testing.T) {
	if !hosts.Wanted("c") {
		t.Skip("HOSTS leaves c out")
	}
	t.Parallel()
	hosts.Setup(t, "c")
	for _, p := range foreign {
		t.Run(p.name, func(t *testing.T) {
			if exec.Command(p.needs[0], p.needs[1:]...).Run() != nil {
				hosts.Skip(t, p.name+" is missing: tests/setup/setup.sh ffi says how to get it")
			}
			testOnce(t, "ffi", p.name)
		})
	}
}

func testOnce(t *testing.T, language, name string) {
	t.Run("prints the jobs", func(t *testing.T) {
		s := start(t)
		stdout, stderr, status := s.run(t, language, name)
		if status != 0 || stderr != "" || !strings.Contains(stdout, "sandbox-job-1") {
			t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
		if got := s.Counts(); got.TokenRequests != 1 || got.JobRequests != 1 {
			t.Errorf("it sent %+v", got)
		}
	})
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			s := start(t)
			s.environment[f.variable] = f.value
			s.secrets = append(s.secrets, "not-the-secret")
			code, mend := f.code, f.mend
			if name == "minimal" && f.name == "no service" {
				code, mend = "", "base_?url|connect" // most SDKs have their own error for that
			}
			stdout, stderr, status := s.run(t, language, name)
			if status != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 ||
				!strings.Contains(stderr, code) || !regexp.MustCompile(`(?i)`+mend).MatchString(stderr) {
				t.Errorf("want status 1 and a line with %s and %s on stderr;\nstatus %d, stdout %q, stderr %q",
					code, mend, status, stdout, stderr)
			}
		})
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
	command := exec.CommandContext(ctx, filepath.Join(hosts.Root(), "host-example", language, "run.sh"), program)
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
