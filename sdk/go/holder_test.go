package rostering_test

import (
	"net/http"
	"runtime"
	"testing"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

// A token request whose HTTP client ignores its context never ends. By the monotonic clock, it
// is abandoned after 30 s, though the client's clock stands still.
func TestFlowThatNeverEnds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		started, requests, released := time.Now(), 0, make(chan struct{})
		client := newClient(t, fullConfig, rostering.WithClock(func() time.Time { return started }), faked(func(r *http.Request) error {
			if requests++; requests == 1 {
				<-released
			}
			return nil
		}))
		defer close(released)
		if _, err := client.ListJobs(t.Context(), rostering.WithCallTimeout(time.Minute)); err != nil {
			t.Error(err)
		}
		if took := time.Since(started).Round(time.Second); took != 30*time.Second || requests != 3 {
			t.Errorf("it took %s and %d requests", took, requests)
		}
	})
}

// If the goroutine of a flow ends, so do all calls that wait for it.
func TestGoroutineThatEnds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		client, started := newClient(t, fullConfig, faked(func(*http.Request) error {
			time.Sleep(time.Second)
			runtime.Goexit()
			return nil
		})), time.Now()
		ended := make(chan error)
		for range 3 {
			go func() {
				_, err := client.GetToken(t.Context())
				ended <- err
			}()
		}
		for range 3 {
			if err := <-ended; err == nil {
				t.Error("it succeeded")
			}
		}
		if took := time.Since(started); took != time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// A client that nobody closes costs little.
func TestManyClients(t *testing.T) {
	newClient(t, fullConfig)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		newClient(t, fullConfig)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 100*32<<10 {
		t.Errorf("100 clients allocated %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}
