package simulation_test

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"automatic-rostering/plugin/internal/simulation"
)

var hours = flag.Float64("hours", 0, "how long a fleet of 100,000 instances lives")

// day is what happens to a fleet in a day, by the hour. Each lasts for ten minutes, or is
// over at once.
var day = []struct {
	hour  float64
	name  string
	begin func(*simulation.Fleet)
	token simulation.Answer
	store bool // is down
}{
	{hour: 0, name: "all start within a minute"},
	{hour: 1, name: "nothing"},
	{hour: 3, name: "the token is revoked", begin: (*simulation.Fleet).Revoke},
	{hour: 6, name: "the token is revoked, 503", begin: (*simulation.Fleet).Revoke, token: simulation.Answer{Status: 503}},
	{hour: 9, name: "the token is revoked, 429 with Retry-After: 30", begin: (*simulation.Fleet).Revoke, token: simulation.Answer{Status: 429, RetryAfter: 30}},
	{hour: 12, name: "the token is revoked, the token endpoint hangs", begin: (*simulation.Fleet).Revoke, token: simulation.Answer{Hangs: true}},
	{hour: 15, name: "the store loses all", begin: (*simulation.Fleet).Forget},
	{hour: 18, name: "the store is down", store: true},
	{hour: 21, name: "the holder of the lock dies", begin: (*simulation.Fleet).KillHolder},
	{hour: 24, name: "the end"},
}

const tenMinutes = 600.0

// TestDay lets a large fleet live, and prints the figures that docs/fleet.md quotes.
func TestDay(t *testing.T) {
	if *hours == 0 {
		t.Skip("make simulate")
	}
	debug.SetGCPercent(300)
	f := simulation.Fleet{Instances: 100_000, Every: 60, Spread: 60, Lifetime: 3600, Seed: *seed,
		Endpoint: simulation.Takes(.3), Store: simulation.Takes(.003), Service: simulation.Takes(.05)}
	f.Skew = func(n int) float64 { // one in a hundred up to five minutes, the others a second
		if n%100 == 0 {
			return float64(n/100%601) - 300
		}
		return float64(n%21)/10 - 1
	}
	during := func(at float64) int {
		for n := range day {
			if from := day[n].hour * 3600; at >= from && at < from+tenMinutes {
				return n
			}
		}
		return 1
	}
	f.TokenEndpoint = func(at float64) simulation.Answer { return day[during(at)].token }
	f.StoreDown = func(at float64) bool { return day[during(at)].store }
	f.At = map[float64]func(*simulation.Fleet){}
	began, before := time.Now(), simulation.Counts{}
	for n, d := range day {
		f.At[d.hour*3600] = func(f *simulation.Fleet) {
			if n > 0 {
				c := f.Counts
				t.Logf("%-50s %10d calls %6d token requests, %6d at once, %8d store operations, %9d errors, last after %5.0f s, slowest %5.1f s", day[n-1].name,
					c.Calls-before.Calls, c.TokenRequests-before.TokenRequests, c.MostUnderWay, c.StoreOperations-before.StoreOperations,
					c.Errors-before.Errors, max(0, c.LastError-day[n-1].hour*3600), c.Slowest)
			}
			before = f.Counts
			f.MostUnderWay, f.Slowest = 0, 0
			if d.begin != nil {
				d.begin(f)
			}
		}
	}
	f.Run(*hours * 3600)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("%d calls in %v, with %d MB of memory\n", f.Calls, time.Since(began).Round(time.Second), m.Sys>>20)
	t.Logf("%d token requests, %d store operations, %d calls failed, %d of them not to be tried again, %d beside a valid token",
		f.TokenRequests, f.StoreOperations, f.Errors, f.NotRetryable, f.Needless)
}
