package programs

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"
)

// testService sends the service of a language many requests at once, and some that fail; then SIGTERM ends it after the response to
// the request that is under way.
func testService(t *testing.T, language string) {
	s := start(t)
	command := s.command(t, language, "service")
	var log bytes.Buffer // complete when it has ended
	command.Stderr = &log
	stdout, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n') // its URL or its port
	port := regexp.MustCompile(`(\d+)/?\s*$`).FindStringSubmatch(line)
	if port == nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		t.Fatalf("it printed %q, %v\n%s", line, err, &log)
	}
	address := net.JoinHostPort("127.0.0.1", port[1])

	want := func(wanted string, status int, retryAfter string) {
		t.Helper()
		if after := get(t, "http://"+address+"/jobs", status, wanted); after != retryAfter {
			t.Errorf("Retry-After is %q, not %q", after, retryAfter)
		}
	}
	fault := func(f sandbox.Fault) { s.fault(t, sandbox.JobsServer, f) }

	const atOnce = 100
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { want("sandbox-job-1", http.StatusOK, "") })
	}
	all.Wait()
	s.wantSent(t, "at once", 1, atOnce)
	fault(sandbox.Fault{Status: 503, Headers: map[string]string{"Retry-After": "7"}, Body: new("its own affair")})
	want("", 503, "7")
	fault(sandbox.Fault{Status: 500})
	want("", 503, "1")
	fault(sandbox.Fault{Status: 404, Body: new("its own affair")})
	want("", 502, "")

	defer func() { s.wantNoSecret(t, log.String()) }()
	if language == "workerd" { // what runs a Worker here is a development tool, which does not wait
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
		return
	}
	fault(sandbox.Fault{Hold: true})
	before := s.Counts().JobRequests
	all.Go(func() { want("sandbox-job-1", http.StatusOK, "") })
	if _, err := s.Wait(t.Context(), sandbox.Counts{JobRequests: before + 1}); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for connection, err := net.Dial("tcp", address); err == nil; connection, err = net.Dial("tcp", address) { // until it is killed
		_ = connection.Close()
		time.Sleep(5 * time.Millisecond)
	}
	s.ClearFaults()
	all.Wait()
	if err := command.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v\n%s", err, &log)
	}
}
