package protocol

import (
	"os"
	"strings"
	"testing"
	"time"
)

// start starts a host that is a shell script.
func start(t *testing.T, host string) *Process {
	t.Helper()
	p, err := Start(t.Context(), ".", nil, os.Stderr, "sh", "-c", host)
	if err != nil {
		t.Fatal(err)
	}
	p.Bound = 10 * time.Second
	return p
}

func TestMisbehavingHost(t *testing.T) {
	for name, test := range map[string]struct{ host, want string }{
		"dies":                {"exit 3", "the host has ended"},
		"hangs":               {"exec sleep 60", "did not respond"},
		"prints noise":        {"echo npm notice: a new version is there; exec sleep 60", "npm notice"},
		"responds to another": {`read request; echo '{"id":8}'; exec sleep 60`, "not pending"},
		"responds to nobody":  {`read request; echo '{"error":"to whom?"}'; exec sleep 60`, "not pending"},
	} {
		t.Run(name, func(t *testing.T) {
			p, request := start(t, test.host), Request{Op: "call"}
			if name == "hangs" {
				p.Bound, request.Input = 100*time.Millisecond, make([]byte, 1<<20) // more than a pipe holds
			}
			if _, err := p.Do(request); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, without %q", err, test.want)
			}
			if _, err := p.Do(request); err == nil {
				t.Error("the next request gets a response")
			}
			p.Bound = 100 * time.Millisecond
			if err := p.Close(); err == nil {
				t.Error("Close finds nothing wrong")
			}
		})
	}
}
