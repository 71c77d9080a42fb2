package rostering_test

import (
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

// An HTTP client ignores its context: a call and Close end on time all the same.
func TestHTTPClientThatNeverEnds(t *testing.T) {
	for _, host := range []string{provider, service} {
		inBubble(t, func(t *testing.T) {
			released := make(chan struct{})
			defer close(released)
			client := newClient(t, fullConfig, rostering.WithTimeout(3*time.Second), faked(func(r *http.Request) error {
				if r.URL.Host == host {
					<-released
				}
				return nil
			}))
			started := time.Now()
			_, err := client.ListJobs(t.Context())
			if wantError(t, err, rostering.CodeNetworkError); time.Since(started) != 3*time.Second {
				t.Errorf("%s: it took %s", host, time.Since(started))
			}
			go func() { _, _ = client.ListJobs(t.Context()) }()
			synctest.Wait()
			if err := client.Close(); err != nil || time.Since(started) != 3*time.Second {
				t.Errorf("%s: Close took %s: %v", host, time.Since(started), err)
			}
		})
	}
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
