package protocol

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// inOrder is a host that responds to each request with the name of its export.
const inOrder = `sed -u 's/.*"id":\([0-9]*\).*"export":"\([^"]*\)".*/{"id":\1,"error":"to \2"}/'`

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

func TestResponsesInAnyOrder(t *testing.T) {
	for name, host := range map[string]string{"in order": inOrder, "in reverse, at its end": inOrder + " | tac"} {
		t.Run(name, func(t *testing.T) {
			p := start(t, host)
			var all sync.WaitGroup
			for i := range 50 {
				export := fmt.Sprint("export ", i)
				pending, err := p.Send(Request{Op: "call", Export: export})
				if err != nil {
					t.Fatal(err)
				}
				all.Go(func() {
					if a, err := pending.Response(); err != nil || a.Error != "to "+export {
						t.Errorf("%s got %+v, %v", export, a, err)
					}
				})
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			all.Wait()
		})
	}
}
