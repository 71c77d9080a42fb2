package programs

import (
	"crypto/rand"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"automatic-rostering.example/sandbox"

	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
)

// foreign are the programs in languages without a library, and a command that fails where their language is missing.
var foreign = map[string]string{
	"csharp": "command -v mcs && command -v mono",
	"luajit": "luajit -v",
	"perl":   "perl -MFFI::Platypus -e 1",
	"php":    "php -r 'exit(extension_loaded(\"FFI\") ? 0 : 1);'",
	"ruby":   "ruby -rffi -e 1",
	"host":   "ruby -rffi -rredis -e 1",
}

func TestForeignPrograms(t *testing.T) {
	if !hosts.Wanted("c") {
		t.Skip("HOSTS leaves c out")
	}
	t.Parallel()
	hosts.Setup(t, "c", "setup")
	for name, present := range foreign {
		t.Run(name, func(t *testing.T) {
			if exec.Command("sh", "-c", present).Run() != nil {
				hosts.Skip(t, name+" is missing: sdk/setup/setup.sh ffi says how to get it")
			}
			testOnce(t, "ffi", name)
			if name == "host" {
				testHost(t)
			}
		})
	}
}

// testHost has processes of the host in Ruby share a token with each other and with a library, through Redis.
func testHost(t *testing.T) {
	hosts.RequireRedis(t)
	hosts.Setup(t, "go", "adapter")
	s, password := start(t), rand.Text()
	redis, err := held.StartRedis(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.End)
	s.secrets = append(s.secrets, password)
	store := &protocol.Store{Name: "s", Kind: "redis", URL: redis.URL}
	library, err := hosts.Library("go").Process(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = library.Close() })
	do := func(r protocol.Request) {
		t.Helper()
		r.Client = "c"
		if a, err := library.Do(r); err != nil || a.Error+a.Trap+a.Misuse != "" {
			t.Fatalf("the library: %v%s%s%s", err, a.Error, a.Trap, a.Misuse)
		}
	}
	do(protocol.Request{Op: "open", Open: protocol.Open{Variables: s.Env(sandbox.Stage), Store: store}})
	s.environment["REDIS_URL"] = redis.URL
	host := func() {
		t.Helper()
		if stdout, stderr, status := s.run(t, "ffi", "host"); status != 0 || stderr != "" || !strings.Contains(stdout, "sandbox-job-1") {
			t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
	}
	want := func(when string, tokens, jobs int) {
		t.Helper()
		if got, want := s.Counts(), (sandbox.Counts{TokenRequests: tokens, JobRequests: jobs}); got != want {
			t.Errorf("%s: %+v were sent, not %+v", when, got, want)
		}
	}

	// A slow token endpoint: so the second process finds the lock of the first.
	if err := s.SetFault(sandbox.AuthServer, sandbox.Fault{DelayMS: 1000}); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	both.Go(host)
	both.Go(host)
	both.Wait()
	s.ClearFaults()
	want("two processes at once", 1, 2)
	do(protocol.Request{Op: "list_jobs"})
	want("a library", 1, 3)
	s.Revoke()
	host()
	want("a process with a revoked token", 2, 5)
	do(protocol.Request{Op: "list_jobs"})
	want("the library with the revoked token", 2, 7)
	redis.End()
	host()
	want("a process without Redis", 3, 8)
}
