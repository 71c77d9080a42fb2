package model_test

import (
	"fmt"
	"testing"

	"automatic-rostering.example/rostering/tests/model"
)

const instances = 1000

// situation is what happens to a fleet, and the limits of the results.
type situation struct {
	name string
	run  float64
	with func(*model.Fleet)
	// Token requests, how many at once, and until when calls fail.
	least, most, atOnce int
	settles             float64
}

// until is a token endpoint with another response until a time.
func until(end float64, response model.Response) func(*model.Fleet) {
	return func(f *model.Fleet) {
		f.Responds = func(_ int, at float64) model.Response {
			if at < end {
				return response
			}
			return model.Response{}
		}
	}
}

func at(time float64, event func(*model.Fleet)) map[float64]func(*model.Fleet) {
	return map[float64]func(*model.Fleet){time: event}
}

var situations = []situation{
	{name: "all start at once, one renewal", run: 620, least: 2, most: 2, atOnce: 1, with: func(*model.Fleet) {}},
	{name: "without a store", run: 60, least: instances, most: instances, atOnce: instances,
		with: func(f *model.Fleet) { f.NoStore = true }},
	{name: "one active token, and it is revoked", run: 400, least: 2, most: 2, atOnce: 1,
		with: func(f *model.Fleet) { f.OneActive, f.At = true, at(300, (*model.Fleet).Revoke) }},
	{name: "503 for two minutes", run: 200, least: 7, most: 20, atOnce: 1, settles: 160,
		with: until(120, model.Response{Status: 503})},
	{name: "429 with Retry-After for two minutes", run: 200, least: 4, most: 6, atOnce: 1, settles: 160,
		with: until(120, model.Response{Status: 429, RetryAfter: 30})},
	{name: "the token endpoint hangs for a minute", run: 200, least: 4, most: 12, atOnce: 4, settles: 120,
		with: func(f *model.Fleet) {
			until(60, model.Response{Hangs: true})(f)
			f.Grace = 20 // the last request that hangs
		}},
	{name: "the store is down during a renewal", run: 620, least: instances / 2, most: instances + 1, atOnce: instances,
		with: func(f *model.Fleet) {
			f.StoreDown = func(f *model.Fleet) bool { return f.Now() > 200 && f.Now() < 610 }
		}},
	{name: "the holder of the lock dies", run: 60, least: 2, most: 2, atOnce: 2,
		with: func(f *model.Fleet) { f.Endpoint, f.At = 3, at(2.3, (*model.Fleet).KillHolder) }},
}

// TestFleet keeps a fleet within its limits, whatever happens, and however long the store
// takes.
func TestFleet(t *testing.T) {
	for _, s := range situations {
		for _, latency := range []float64{0, .03, .6} {
			if testing.Short() && latency != .03 {
				continue
			}
			t.Run(fmt.Sprintf("%s/a store of %v s", s.name, latency), func(t *testing.T) {
				f := model.Fleet{Instances: instances, Every: 10, Skew: 1, Lifetime: 600, Seed: 1, Endpoint: .3, Store: latency, Service: .02, Grace: 3}
				s.with(&f)
				f.Run(s.run)
				c := f.Counts
				t.Logf("%+v", c)
				switch {
				case c.TokenRequests < s.least || c.TokenRequests > s.most:
					t.Errorf("%d token requests, not %d to %d", c.TokenRequests, s.least, s.most)
				case c.MostInFlight > s.atOnce:
					t.Errorf("%d token requests at once", c.MostInFlight)
				case c.LastError > s.settles:
					t.Errorf("a call failed after %.0f s", c.LastError)
				case c.StoreOperations > 100*instances:
					t.Errorf("%d operations on the store for each instance", c.StoreOperations/instances)
				case c.Needless+c.Dead+c.Expired+c.Early > 0:
					t.Errorf("calls that failed despite a valid token, requests with a refused or expired token, or token requests before Retry-After")
				case c.Delayed > 0:
					t.Errorf("a call with a valid token waited for %.2f s", c.Delayed)
				}
			})
		}
	}
}
