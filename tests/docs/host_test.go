package docs

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/sandbox"

	"automatic-rostering/tests/conformance/hosts"
)

// driver runs the host of the page, each time that a line of standard input says so.
const driver = `
import os, sys
config = {n[len("ROSTERING_"):].lower(): v for n, v in os.environ.items() if n.startswith("ROSTERING_")}
exec(open("host.py").read())
for line in sys.stdin:
    try:
        print(json.dumps({"body": send(path="/jobs")}), flush=True)
    except RuntimeError as e:
        print(json.dumps({"error": e.args[0]}), flush=True)
    except extism.Error as e:
        print(json.dumps({"error": json.loads(str(e))}), flush=True)
`

// The host in docs/contract.md works as it stands there.
func TestHostOfTheContract(t *testing.T) {
	if !hosts.Wanted("python") {
		t.Skip("HOSTS leaves python out")
	}
	t.Parallel()
	hosts.Setup(t, "python", "setup")
	s, err := sandbox.Start(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	send := startHost(t, s)

	type result struct {
		Body  string
		Error map[string]any
	}
	want := func(when string, counts sandbox.Counts, is func(result) bool) {
		t.Helper()
		var r result
		if err := json.Unmarshal(send(), &r); err != nil || !is(r) {
			t.Errorf("%s: the result is %+v, %v", when, r, err)
		}
		if got := s.Counts(); got != counts {
			t.Errorf("%s: it has sent %+v, not %+v", when, got, counts)
		}
	}
	jobs := func(r result) bool { return strings.Contains(r.Body, "sandbox-job-1") && r.Error == nil }
	want("first", sandbox.Counts{TokenRequests: 1, JobRequests: 1}, jobs)
	want("with a token", sandbox.Counts{TokenRequests: 1, JobRequests: 2}, jobs)
	s.Revoke()
	want("with a revoked token", sandbox.Counts{TokenRequests: 2, JobRequests: 4}, jobs)
	down := sandbox.Fault{Status: http.StatusServiceUnavailable, Headers: map[string]string{"Retry-After": "7"}, Body: "down"}
	if err := s.SetFault(sandbox.JobsServer, down); err != nil {
		t.Fatal(err)
	}
	want("when the service is down", sandbox.Counts{TokenRequests: 2, JobRequests: 5}, func(r result) bool {
		// As in the example at the top of the page.
		return reflect.DeepEqual(r.Error, map[string]any{
			"code": "service_error", "message": "the service is unavailable; retry later", "retryable": true,
			"status": 503.0, "body": "down", "retry_after": 7.0,
		})
	})
}

// startHost starts the host of the page, and returns what makes it send one request and returns its line.
func startHost(t *testing.T, s *sandbox.Sandbox) func() []byte {
	t.Helper()
	_, block, found := strings.Cut(sections(read(t, "docs/contract.md"), "A host"), "```python\n")
	code, _, closed := strings.Cut(block, "\n```\n")
	if !found || !closed {
		t.Fatal("docs/contract.md has no host in Python")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "host.py"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(hosts.Root(), "dist/rostering.wasm"), filepath.Join(folder, "rostering.wasm")); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(filepath.Join(hosts.Root(), "sdk/python/.venv/bin/python"), "-c", driver)
	command.Dir, command.Stderr = folder, t.Output()
	command.Env = append(os.Environ(), "NO_PROXY=127.0.0.1")
	for name, value := range s.Env(sandbox.Stage) {
		command.Env = append(command.Env, name+"="+value)
	}
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	patience := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	t.Cleanup(func() {
		_ = in.Close()
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
		patience.Stop()
	})
	lines := json.NewDecoder(out)
	return func() []byte {
		var line json.RawMessage
		if _, err := in.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		return line
	}
}
