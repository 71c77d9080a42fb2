package programs

import (
	"bufio"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/sandbox"
)

// The example for Spring lists the jobs with the library. Spring's two clients replace a token after a 401, its health follows the
// identity provider, and SIGTERM ends it after the response to the request that is under way.
func TestSpring(t *testing.T) {
	t.Parallel()
	hosts.Setup(t, "java", "adapter")
	adapter, here := filepath.Join(hosts.Root(), "sdk/java/target/adapter"), filepath.Join(hosts.Root(), "host-example/spring")
	hosts.Prepare(t, "mvn", "--batch-mode", "--no-transfer-progress", "--quiet", "-f", here, "package",
		"-Dpackages="+filepath.Join(adapter, "maven"), "-Dmaven.repo.local="+filepath.Join(adapter, "local"))
	s := start(t)
	command := s.command(t, "spring", "App")
	stdout, err := command.StdoutPipe()
	if err == nil {
		command.Stderr = command.Stdout
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	var port []string
	lines := bufio.NewScanner(stdout)
	for port == nil && lines.Scan() {
		log.WriteString(lines.Text() + "\n")
		port = regexp.MustCompile(`started on port (\d+)`).FindStringSubmatch(lines.Text())
	}
	if port == nil {
		t.Fatalf("it did not start: %v\n%s", command.Wait(), log.String())
	}
	var all sync.WaitGroup
	all.Go(func() {
		for lines.Scan() {
			log.WriteString(lines.Text() + "\n")
		}
	})
	want := func(path string, status int, wanted string) {
		t.Helper()
		get(t, "http://127.0.0.1:"+port[1]+path, status, wanted)
	}

	s.fault(t, sandbox.AuthServer, sandbox.Fault{Status: 503, Headers: map[string]string{"Retry-After": "5"}})
	want("/jobs", 500, "")
	want("/actuator/health", 503, "DOWN")
	s.ClearFaults()
	want("/jobs", 200, "sandbox-job-1") // waits until that is over
	want("/actuator/health", 200, "UP")
	time.Sleep(10 * time.Second) // until then, a refused token may be one of which the service does not know yet
	before := s.Counts()
	s.Revoke()
	s.fault(t, sandbox.JobsServer, sandbox.Fault{DelayMS: 1000}) // so both send the revoked one
	var both sync.WaitGroup
	both.Go(func() { want("/rest", 200, "/reports/7") })
	both.Go(func() { want("/web", 200, "/reports/7") })
	both.Wait()
	s.wantSent(t, "after the revocation", before.TokenRequests+1, before.JobRequests+4)

	s.fault(t, sandbox.JobsServer, sandbox.Fault{Hold: true})
	both.Go(func() { want("/jobs", 200, "sandbox-job-1") })
	_, err = s.Wait(t.Context(), sandbox.Counts{JobRequests: before.JobRequests + 5})
	if err := errors.Join(err, command.Process.Signal(syscall.SIGTERM)); err != nil {
		t.Fatal(err)
	}
	s.ClearFaults()
	both.Wait()
	all.Wait()
	if err := command.Wait(); command.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) { // which the JVM makes of it
		t.Errorf("SIGTERM ended it with %v\n%s", err, log.String())
	}
	s.wantNoSecret(t, log.String())
}
