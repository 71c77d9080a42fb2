package programs

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
)

// service is a program that listens.
type service struct {
	*setting
	command *exec.Cmd
	address string
	log     bytes.Buffer // complete when it has ended
}

// startService starts the service of a language, which prints its URL or its port.
func startService(t *testing.T, language string) *service {
	t.Helper()
	s := &service{setting: start(t)}
	s.command = s.setting.command(t, language, "service")
	s.command.Stderr = &s.log
	stdout, err := s.command.StdoutPipe()
	if err == nil {
		err = s.command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.command.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	port := regexp.MustCompile(`(\d+)/?\s*$`).FindStringSubmatch(line)
	if port == nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
		t.Fatalf("it printed %q, %v\n%s", line, err, &s.log)
	}
	s.address = net.JoinHostPort("127.0.0.1", port[1])
	return s
}

// reply is what matters of a response.
type reply struct {
	status     int
	retryAfter string
	body       string
}

func (s *service) get(t *testing.T) (a reply) {
	t.Helper()
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + s.address + "/jobs")
	if err != nil {
		t.Error(err)
		return a
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return reply{response.StatusCode, response.Header.Get("Retry-After"), string(body)}
}

func (s *service) wantJobs(t *testing.T) {
	t.Helper()
	if a := s.get(t); a.status != http.StatusOK || !strings.Contains(a.body, "sandbox-job-1") {
		t.Errorf("the response is %+v", a)
	}
}

// testService sends the service many requests at once, and some that fail; then, if it ends on SIGTERM, that ends it after
// the response to the request that is under way.
func testService(t *testing.T, language string, ends bool) {
	const atOnce = 100
	s := startService(t, language)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { s.wantJobs(t) })
	}
	all.Wait()
	if got, want := s.Counts(), (sandbox.Counts{TokenRequests: 1, JobRequests: atOnce}); got != want {
		t.Errorf("it sent %+v, not %+v", got, want)
	}

	for _, c := range []struct {
		fault  sandbox.Fault
		status int
		after  string
	}{
		{sandbox.Fault{Status: 503, Headers: map[string]string{"Retry-After": "7"}, Body: "its own affair"}, 503, "7"},
		{sandbox.Fault{Status: 500}, 503, "1"},
		{sandbox.Fault{Status: 404, Body: "its own affair"}, 502, ""},
	} {
		s.fault(t, c.fault)
		if a := s.get(t); a.status != c.status || a.retryAfter != c.after || strings.Contains(a.body, "affair") {
			t.Errorf("when the service responds with %d, the response is %+v", c.fault.Status, a)
		}
	}

	if !ends {
		_ = s.command.Process.Signal(syscall.SIGTERM)
		_ = s.command.Wait()
		s.wantNoSecret(t, s.log.String())
		return
	}
	s.fault(t, sandbox.Fault{Hold: true})
	before := s.Counts().JobRequests
	all.Go(func() { s.wantJobs(t) })
	if _, err := s.Wait(t.Context(), sandbox.Counts{JobRequests: before + 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.wantClosed(t)
	s.ClearFaults()
	all.Wait()
	if err := s.command.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v\n%s", err, &s.log)
	}
	s.wantNoSecret(t, s.log.String())
}

func (s *service) fault(t *testing.T, f sandbox.Fault) {
	t.Helper()
	if err := s.SetFault(sandbox.JobsServer, f); err != nil {
		t.Fatal(err)
	}
}

// wantClosed waits until no connection is accepted any more.
func (s *service) wantClosed(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		connection, err := net.Dial("tcp", s.address)
		if err != nil {
			return
		}
		_ = connection.Close()
		if time.Now().After(deadline) {
			t.Fatal("it still accepts connections")
		}
	}
}
