package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"automatic-rostering.example/rostering/internal/sandbox"
)

// patience bounds every wait.
const patience = 20 * time.Second

// TestMain runs the service itself if a test has started this program for that.
func TestMain(m *testing.M) {
	if os.Getenv("SERVICE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start starts the service and returns its address.
func start(t *testing.T, s *sandbox.Sandbox) (*exec.Cmd, string) {
	t.Helper()
	service := exec.Command(os.Args[0])
	service.Env = append(os.Environ(), "SERVICE=1", "HOST=127.0.0.1", "PORT=0")
	for name, value := range s.Env {
		service.Env = append(service.Env, name+"="+value)
	}
	service.Stderr = os.Stderr
	stdout, err := service.StdoutPipe()
	if err == nil {
		err = service.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(2*patience, func() { _ = service.Process.Kill() })
	t.Cleanup(func() {
		timer.Stop()
		_ = service.Process.Kill()
	})
	var port int
	if _, err := fmt.Fscanln(bufio.NewReader(stdout), &port); err != nil {
		t.Fatal(err)
	}
	return service, fmt.Sprintf("127.0.0.1:%d", port)
}

// get returns the status, the header and the body of the jobs.
func get(t *testing.T, address string) (int, http.Header, string) {
	answer, err := (&http.Client{Timeout: patience}).Get("http://" + address + "/jobs")
	if err != nil {
		t.Error(err)
		return 0, nil, ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, answer.Header, string(body)
}

func wantJobs(t *testing.T, address string) {
	status, header, body := get(t, address)
	if status != http.StatusOK || !strings.Contains(body, `"jobs":[{`) || header.Get("Content-Type") != "application/json" {
		t.Errorf("the answer is %d %v %s", status, header, body)
	}
}

func TestService(t *testing.T) {
	const requests = 200
	s := sandbox.New(t)
	service, address := start(t, s)

	s.Fault(sandbox.Fault{Server: "jobs", Hold: true}) // until all are there
	var all sync.WaitGroup
	for range requests {
		all.Go(func() { wantJobs(t, address) })
	}
	s.Wait(1, requests)
	s.ClearFaults()
	all.Wait()
	s.WantCounts(t, 1, requests)

	s.Fault(sandbox.Fault{Server: "jobs", Hold: true})
	all.Go(func() { wantJobs(t, address) })
	s.Wait(1, requests+1)
	if err := service.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			break // it takes no more requests
		}
		_ = connection.Close()
		if time.Now().After(deadline) {
			t.Fatal("it still takes requests")
		}
	}
	s.ClearFaults()
	all.Wait()
	if err := service.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestErrors(t *testing.T) {
	s := sandbox.New(t)
	_, address := start(t, s)
	for _, tt := range []struct {
		fault  sandbox.Fault
		status int
		after  string
	}{
		{sandbox.Fault{Server: "jobs", Status: 503, Headers: map[string]string{"Retry-After": "7"}}, 503, "7"},
		{sandbox.Fault{Server: "jobs", Status: 500}, 503, "1"},
		{sandbox.Fault{Server: "jobs", Status: 400}, 502, ""},
	} {
		s.Fault(tt.fault)
		status, header, _ := get(t, address)
		if status != tt.status || header.Get("Retry-After") != tt.after {
			t.Errorf("%+v: the status is %d, Retry-After %q", tt.fault, status, header.Get("Retry-After"))
		}
	}
}
