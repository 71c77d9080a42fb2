package model_test

import (
	"fmt"
	"testing"

	"automatic-rostering/plugin/core/model"
)

const instances = 1000

// until is a token endpoint with another response until a time.
func until(end float64, response model.Response) func(float64) model.Response {
	return func(at float64) model.Response {
		if at < end {
			return response
		}
		return model.Response{}
	}
}

func at(time float64, event func(*model.Fleet)) map[float64]func(*model.Fleet) {
	return map[float64]func(*model.Fleet){time: event}
}

// happening is what happens to a fleet, and the limits of the results.
type happening struct {
	name string
	run  float64
	with func(*model.Fleet)
	// Token requests, how many at once, and errors.
	least, most, atOnce, errors int
	more                        func(model.Counts) error
}

const unbounded = 1 << 30

var happenings = []happening{
	{name: "all start at once, one renewal", run: 620, least: 2, most: 2, atOnce: 1},
	{name: "all start at once: operations on the store", run: 5, least: 1, most: 1, atOnce: 1,
		more: func(c model.Counts) error {
			if c.StoreOperations > 9*instances {
				return fmt.Errorf("%d operations on the store for each instance", c.StoreOperations/instances)
			}
			return nil
		}},
	{name: "start within a minute", run: 620, least: 2, most: 2, atOnce: 1,
		with: func(f *model.Fleet) { f.Spread = 60 }},
	{name: "without a store", run: 60, least: instances, most: instances, atOnce: instances,
		with: func(f *model.Fleet) { f.NoStore = true }},
	{name: "the token is revoked", run: 400, least: 2, most: 2, atOnce: 1, more: noDeadToken,
		with: func(f *model.Fleet) { f.At = at(300, (*model.Fleet).Revoke) }},
	{name: "one active token, and it is revoked", run: 400, least: 2, most: 2, atOnce: 1, more: noDeadToken,
		with: func(f *model.Fleet) { f.OneActive, f.At = true, at(300, (*model.Fleet).Revoke) }},
	{name: "the token is revoked, and the token endpoint down for five seconds", run: 400, least: 3, most: 5, atOnce: 1, errors: unbounded,
		with: func(f *model.Fleet) {
			f.At = at(300, (*model.Fleet).Revoke)
			f.TokenEndpoint = func(at float64) model.Response {
				if at >= 300 && at < 305 {
					return model.Response{Status: 503}
				}
				return model.Response{}
			}
		},
		more: func(c model.Counts) error {
			if c.NotRetryable > 0 {
				return fmt.Errorf("%d errors that are not retryable", c.NotRetryable)
			}
			return noDeadToken(c)
		}},
	{name: "503 for two minutes", run: 200, least: 7, most: 15, atOnce: 1, errors: unbounded,
		with: func(f *model.Fleet) { f.TokenEndpoint = until(120, model.Response{Status: 503}) }},
	{name: "429 with Retry-After for two minutes", run: 200, least: 4, most: 6, atOnce: 1, errors: unbounded,
		with: func(f *model.Fleet) {
			f.TokenEndpoint = until(120, model.Response{Status: 429, RetryAfter: 30})
		},
		more: func(c model.Counts) error {
			for i := 1; i < len(c.Requested); i++ {
				if c.Requested[i]-c.Requested[i-1] < 28 {
					return fmt.Errorf("token requests at %v", c.Requested)
				}
			}
			return nil
		}},
	{name: "the service refuses every token for five minutes", run: 300, least: 2, most: 30, atOnce: 1, errors: unbounded,
		with: func(f *model.Fleet) {
			f.At = at(0, func(f *model.Fleet) { f.RefuseAll(true) })
		}},
	{name: "the token endpoint takes 15 s", run: 60, least: 1, most: 3, atOnce: 3,
		with: func(f *model.Fleet) { f.Endpoint = model.Takes(12) }},
	{name: "the token endpoint hangs for a minute", run: 200, least: 4, most: 12, atOnce: 4, errors: unbounded,
		with: func(f *model.Fleet) { f.TokenEndpoint = until(60, model.Response{Hangs: true}) }},
	{name: "the store is down during a renewal", run: 620, least: instances / 2, most: instances + 1, atOnce: instances,
		with: func(f *model.Fleet) { f.StoreDown = func(at float64) bool { return at > 200 && at < 610 } }},
	{name: "the store forgets everything every 100 s", run: 620, least: 2, most: 4, atOnce: 2,
		with: func(f *model.Fleet) {
			f.At = map[float64]func(*model.Fleet){}
			for at := 100.0; at < 620; at += 100 {
				f.At[at] = (*model.Fleet).Forget
			}
		}},
	{name: "the holder of the lock dies", run: 60, least: 2, most: 2, atOnce: 2,
		with: func(f *model.Fleet) {
			f.Endpoint, f.At = model.Takes(3), at(2.9, (*model.Fleet).KillHolder)
		}},
}

func noDeadToken(c model.Counts) error {
	if c.Dead > 0 {
		return fmt.Errorf("%d requests with a token that had got a 401 on their instance", c.Dead)
	}
	return nil
}

// latencies are those of the store, in seconds.
var latencies = []struct {
	name    string
	latency []model.Latency
}{
	{"0 ms", model.Takes(0)},
	{"30 ms", model.Takes(.03)},
	{"0.9 s", []model.Latency{{Least: .8, Most: .95}}},
}

// TestFleet keeps a fleet within its limits, whatever happens, and however long the store
// takes.
func TestFleet(t *testing.T) {
	for _, h := range happenings {
		for _, l := range latencies {
			t.Run(h.name+"/a store of "+l.name, func(t *testing.T) {
				t.Parallel()
				f := model.Fleet{Instances: instances, Every: 10, Lifetime: 600, Seed: 1,
					Endpoint: model.Takes(.3), Store: l.latency, Service: model.Takes(.02)}
				f.Skew = func(n int) float64 { return float64(n%5)*.4 - .8 }
				if h.with != nil {
					h.with(&f)
				}
				f.Run(h.run)
				holdsTo(t, &h, f.Counts)
			})
		}
	}
}

func holdsTo(t *testing.T, h *happening, c model.Counts) {
	t.Helper()
	t.Logf("%s: %d calls, %d token requests, %d at once, %d store operations, slowest %.2f s, with a valid token %.2f s, %d errors, %d not retryable, %d 401s, %d dead tokens, %d open, at most %d",
		t.Name(), c.Calls, c.TokenRequests, c.MostUnderWay, c.StoreOperations, c.Slowest, c.SlowestValid, c.Errors, c.NotRetryable, c.Unauthorized, c.Dead, c.Open, c.MostOpen)
	switch {
	case c.TokenRequests < h.least || c.TokenRequests > h.most:
		t.Errorf("%d token requests, not %d to %d", c.TokenRequests, h.least, h.most)
	case c.MostUnderWay > h.atOnce:
		t.Errorf("%d token requests at once", c.MostUnderWay)
	case c.Errors > h.errors:
		t.Errorf("%d calls failed", c.Errors)
	case c.Needless > 0:
		t.Errorf("%d calls failed though their instance had a valid token", c.Needless)
	case c.SlowestValid > 0:
		t.Errorf("a call with a valid token waited for %.2f s", c.SlowestValid)
	case h.more != nil:
		if err := h.more(c); err != nil {
			t.Error(err)
		}
	}
}
