package programs

import (
	"bufio"
	"errors"
	"io"
	"net/http"
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
	client := http.Client{Timeout: patience}
	get := func(path string, status int, wanted string) {
		t.Helper()
		response, err := client.Get("http://127.0.0.1:" + port[1] + path)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != status || !strings.Contains(string(body), wanted) {
			t.Errorf("%s: %d %s %v", path, response.StatusCode, body, err)
		}
	}
	fault := func(server string, f sandbox.Fault) {
		t.Helper()
		if err := s.SetFault(server, f); err != nil {
			t.Fatal(err)
		}
	}

	fault(sandbox.AuthServer, sandbox.Fault{Status: 503, Headers: map[string]string{"Retry-After": "5"}})
	get("/jobs", 500, "")
	get("/actuator/health", 503, "DOWN")
	s.ClearFaults()
	get("/jobs", 200, "sandbox-job-1") // waits until that is over
	get("/actuator/health", 200, "UP")
	time.Sleep(10 * time.Second) // until then, a refused token may be one of which the service does not know yet
	before := s.Counts()
	s.Revoke()
	fault(sandbox.JobsServer, sandbox.Fault{DelayMS: 1000}) // so both send the revoked one
	var both sync.WaitGroup
	both.Go(func() { get("/rest", 200, "/reports/7") })
	both.Go(func() { get("/web", 200, "/reports/7") })
	both.Wait()
	s.wantSent(t, "after the revocation", before.TokenRequests+1, before.JobRequests+4)

	fault(sandbox.JobsServer, sandbox.Fault{Hold: true})
	both.Go(func() { get("/jobs", 200, "sandbox-job-1") })
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
