package programs

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
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

	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(wanted string, status int, retryAfter string) {
		t.Helper()
		response, err := client.Get("http://" + address + "/jobs")
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if after := response.Header.Get("Retry-After"); err != nil || response.StatusCode != status || after != retryAfter ||
			!strings.Contains(string(body), wanted) || strings.Contains(string(body), "affair") {
			t.Errorf("the response is %d, %q, %v, with Retry-After %q; want %d, %q", response.StatusCode, body, err, after, status, retryAfter)
		}
	}
	fault := func(f sandbox.Fault) {
		t.Helper()
		if err := s.SetFault(sandbox.JobsServer, f); err != nil {
			t.Fatal(err)
		}
	}

	const atOnce = 100
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { get("sandbox-job-1", http.StatusOK, "") })
	}
	all.Wait()
	s.wantSent(t, "at once", 1, atOnce)
	fault(sandbox.Fault{Status: 503, Headers: map[string]string{"Retry-After": "7"}, Body: new("its own affair")})
	get("", 503, "7")
	fault(sandbox.Fault{Status: 500})
	get("", 503, "1")
	fault(sandbox.Fault{Status: 404, Body: new("its own affair")})
	get("", 502, "")

	defer func() { s.wantNoSecret(t, log.String()) }()
	if language == "workerd" { // what runs a Worker here is a development tool, which does not wait
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
		return
	}
	fault(sandbox.Fault{Hold: true})
	before := s.Counts().JobRequests
	all.Go(func() { get("sandbox-job-1", http.StatusOK, "") })
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
