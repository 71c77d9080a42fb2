package plugin

import (
	"errors"
	"fmt"
	"testing"

	"automatic-rostering/tests/stubhost"
)

// A failed request is a trap. An ordinary TinyGo plugin is dead after some hundred of
// them, because a trap leaves stack pointer and heap as they were.
func TestFailedRequestsLeaveNoTrace(t *testing.T) {
	const failures = 2000
	for _, file := range []string{"dist/rostering.wasm", "dist/rostering-nowasi.wasm"} {
		for _, server := range []string{"auth", "service"} {
			t.Run(file+" "+server, func(t *testing.T) {
				h := instance(t, file, "token")
				now := h.Clock.Unix()
				call := func() (string, error) {
					now += 61 // beyond any backoff
					output, failure, err := h.Call(t.Context(), "list_jobs", fmt.Sprintf(`{"now":%d}`, now))
					return string(output) + failure, err
				}
				if _, err := call(); err != nil {
					t.Fatal(err)
				}
				size, works := h.Memory(), h.Respond
				down := errors.New("the network is down")
				h.Respond = func(r stubhost.Request) (int, []byte, error) {
					if server == "auth" && r.Method == "POST" || server == "service" && r.Method == "GET" {
						return 0, nil, down
					}
					return works(r)
				}
				if server == "auth" {
					clear(h.Vars)
				}
				for i := range failures {
					if out, err := call(); !errors.Is(err, down) {
						t.Fatalf("failure %d: %q, %v", i+1, out, err)
					}
				}
				h.Respond = works
				if out, err := call(); out != "the jobs" || err != nil {
					t.Errorf("after %d failures: %q, %v", failures, out, err)
				}
				if h.Memory() != size {
					t.Errorf("memory grew from %d to %d bytes", size, h.Memory())
				}
			})
		}
	}
}
