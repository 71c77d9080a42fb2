package rostering_test

import (
	"fmt"
	"runtime"
	"testing"

	"automatic-rostering.example/rostering"
)

// A call of the plugin allocates 200 KB, one of net/http about 7.
func TestWarmCallNeedsNoPlugin(t *testing.T) {
	const calls, most = 100, 40_000
	release := make(chan struct{})
	close(release)
	client := newClient(t, fullConfig, service(release))
	for name, call := range map[string]func() error{
		"ListJobs": func() error { _, err := client.ListJobs(t.Context()); return err },
		"GetToken": func() error { _, err := client.GetToken(t.Context()); return err },
		"SendRequest": func() error {
			_, err := client.ForNoUser().SendRequest(t.Context(), rostering.Request{Path: "/mine"})
			return err
		},
	} {
		var before, after runtime.MemStats
		for n := range calls + 2 { // the first has no token yet, and the second no kept step
			if n == 2 {
				runtime.ReadMemStats(&before)
			}
			if err := call(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) / calls; got > most {
			t.Errorf("%s allocates %d bytes", name, got)
		}
	}
}

// Each path has its own step, of which only some are kept.
func TestManyDifferentCalls(t *testing.T) {
	release := make(chan struct{})
	close(release)
	client := newClient(t, fullConfig, service(release))
	for n := range 300 {
		if _, err := client.SendRequest(t.Context(), rostering.Request{Path: fmt.Sprint("/", n)}); err != nil {
			t.Fatal(err)
		}
	}
}
