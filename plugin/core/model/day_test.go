package model_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"automatic-rostering/plugin/core/model"
)

var (
	report  = flag.String("report", "", "a file for the results of fleets of three sizes, with and without a store")
	largest = flag.Int("largest", 100_000, "the largest of them")
)

// fault is what happens to a fleet in ten minutes of a day, and the limits of the results.
type fault struct {
	hour  float64
	name  string
	begin func(*model.Fleet) // and every so many seconds, if that is set
	every float64
	end   func(*model.Fleet)
	token model.Response
	down  bool // the store
	// Of a fleet with a store: token requests, how many at once, and the seconds after the
	// ten minutes until the last call fails; none may if it is 0.
	most, atOnce int
	settles      float64
	// ahead says that instances whose clocks are ahead obtain tokens, which makes the expiry too
	// late.
	ahead bool
}

const (
	tenMinutes = 600
	hour       = 3600
)

// deploy replaces all instances, one after the other.
func deploy(f *model.Fleet) {
	for n := range f.Instances {
		f.After(tenMinutes*float64(n)/float64(f.Instances), func() { f.Replace(n) })
	}
}

// jump changes one clock in a hundred by so many seconds.
func jump(seconds int64) func(*model.Fleet) {
	return func(f *model.Fleet) {
		for n := 50; n < f.Instances; n += 100 {
			f.Shift(n, seconds)
		}
	}
}

// revokeAnd revokes the token, and does more while the next one is obtained.
func revokeAnd(more func(*model.Fleet)) func(*model.Fleet) {
	return func(f *model.Fleet) {
		f.Revoke()
		for n := range 20 {
			f.After(float64(n)*.2, func() { more(f) })
		}
	}
}

func store(latency []model.Latency) func(*model.Fleet) {
	return func(f *model.Fleet) { f.Store = latency }
}

func endpoint(latency []model.Latency) func(*model.Fleet) {
	return func(f *model.Fleet) { f.Endpoint = latency }
}

var (
	soon      = model.Takes(.003)
	inAMoment = model.Takes(.3)
)

var day = []fault{
	{hour: 0, name: "all start within a minute", most: 2, atOnce: 1},
	{hour: 1, name: "nothing", most: 1, atOnce: 1},
	{hour: 2, name: "a rolling deployment", begin: deploy, most: 2, atOnce: 1},
	{hour: 4, name: "the token is revoked", begin: (*model.Fleet).Revoke, most: 3, atOnce: 1},
	{hour: 6, name: "revoked, and the provider responds with 503", begin: (*model.Fleet).Revoke,
		token: model.Response{Status: 503}, most: 60, atOnce: 1, settles: 90},
	{hour: 8, name: "revoked, and 429 with Retry-After: 30", begin: (*model.Fleet).Revoke,
		token: model.Response{Status: 429, RetryAfter: 30}, most: 25, atOnce: 1, settles: 60},
	{hour: 10, name: "revoked, and the provider hangs", begin: (*model.Fleet).Revoke,
		token: model.Response{Hangs: true}, most: 60, atOnce: 5, settles: 120},
	{hour: 12, name: "revoked every minute, and the provider takes 15 s", every: 60, begin: func(f *model.Fleet) {
		f.Revoke()
		f.Endpoint = model.Takes(12)
	}, end: endpoint(inAMoment), most: 30, atOnce: 3},
	{hour: 14, name: "the store loses everything every minute", every: 60, begin: (*model.Fleet).Forget, most: 10, atOnce: 2},
	{hour: 15, name: "revoked, and the store takes 0.9 s", begin: func(f *model.Fleet) {
		f.Revoke()
		f.Store = []model.Latency{{Least: .8, Most: .95}}
	}, end: store(soon), most: 3, atOnce: 1},
	{hour: 16, name: "revoked every minute, and the store is down", every: 60, begin: (*model.Fleet).Revoke, down: true,
		most: 1 << 30, atOnce: 1 << 30},
	{hour: 18, name: "clocks jump by 5 minutes", begin: jump(300), end: jump(-300), most: 4, atOnce: 2, ahead: true},
	{hour: 20, name: "revoked every 30 s, and the requesting instance dies", every: 30, begin: revokeAnd((*model.Fleet).KillHolder),
		most: 100, atOnce: 20},
	{hour: 22, name: "revoked every 30 s, and the requesting instance freezes for 20 s", every: 30,
		begin: revokeAnd(func(f *model.Fleet) { f.FreezeHolder(20) }), most: 100, atOnce: 20},
	{hour: 24, name: "the end"},
}

// during returns the fault at a time.
func during(at float64) fault {
	for _, f := range day {
		if at >= f.hour*hour && at < f.hour*hour+tenMinutes {
			return f
		}
	}
	return fault{}
}

// came is the result of a fault.
type came struct {
	Name string
	model.Counts
	Settled float64 // seconds from the beginning of the fault to the last call that failed
}

// live runs a fleet for a day, and returns the result of each fault.
func live(instances int, shared bool) []came {
	f := model.Fleet{Instances: instances, Every: 60, Spread: 60, Lifetime: hour, Seed: *seed, NoStore: !shared,
		Endpoint: inAMoment, Store: soon, Service: model.Takes(.05)}
	f.Skew = func(n int) float64 { // one in a hundred up to five minutes, the others a second
		if n%100 == 99 {
			return float64(n/100%601) - 300
		}
		return float64(n%21)/10 - 1
	}
	f.TokenEndpoint = func(at float64) model.Response { return during(at).token }
	f.StoreDown = func(at float64) bool { return during(at).down }
	f.At = map[float64]func(*model.Fleet){}
	var all []came
	for n, next := range day {
		f.At[next.hour*hour] = func(f *model.Fleet) {
			if n > 0 {
				last := day[n-1]
				all = append(all, came{last.name, f.Counts, max(0, f.LastError-last.hour*hour)})
			}
			f.Counts = model.Counts{Open: f.Open}
			if next.begin != nil {
				next.begin(f)
			}
		}
		for at := next.every; at > 0 && at < tenMinutes; at += next.every {
			f.At[next.hour*hour+at] = next.begin
		}
		if next.end != nil {
			f.At[next.hour*hour+tenMinutes] = next.end
		}
	}
	f.Run(24*hour + 1)
	return all
}

func (c *came) line() string {
	return fmt.Sprintf("%-54s %9d calls, %7d token requests, %6d at once, %8d store operations, at most %6d/s, slowest %4.1f s, with a valid token %.1f s, %8d errors %v, settled after %4.0f s, %d dead, %d expired, %d early",
		c.Name, c.Calls, c.TokenRequests, c.MostUnderWay, c.StoreOperations, c.PeakStore, c.Slowest, c.SlowestValid, c.Errors, c.Codes, c.Settled, c.Dead, c.Expired, c.Early)
}

// holds checks the result of a fault against its limits.
func (c *came) holds(t *testing.T, f *fault) {
	t.Helper()
	t.Log(c.line())
	switch {
	case c.TokenRequests > f.most, c.MostUnderWay > f.atOnce:
		t.Errorf("%s: %d token requests, %d at once", f.name, c.TokenRequests, c.MostUnderWay)
	case f.settles == 0 && c.Errors > 0, f.settles > 0 && c.Settled > tenMinutes+f.settles:
		t.Errorf("%s: %d errors, the last after %.0f s", f.name, c.Errors, c.Settled)
	case c.Dead+c.Early+c.Needless > 0, c.Expired > 0 && !f.ahead:
		t.Errorf("%s: %d requests with a token that had got a 401, %d with an expired one, %d token requests before Retry-After, %d calls that failed despite a valid token",
			f.name, c.Dead, c.Expired, c.Early, c.Needless)
	case c.SlowestValid > 0:
		t.Errorf("%s: a call with a valid token waited for %.1f s", f.name, c.SlowestValid)
	}
}

// TestDay runs fleets for a day.
func TestDay(t *testing.T) {
	for _, instances := range []int{10, 1000} {
		t.Run(fmt.Sprint(instances, " instances"), func(t *testing.T) {
			t.Parallel()
			for n, c := range live(instances, true) {
				c.holds(t, &day[n])
			}
		})
	}
}

// TestReport writes what docs/fleet.md shows, in the format of tests/cmd/report.
func TestReport(t *testing.T) {
	if *report == "" {
		t.Skip("make simulate")
	}
	debug.SetGCPercent(300)
	type fleet struct {
		Instances int
		Shared    bool
		Day       []came
	}
	var all []fleet
	for _, instances := range []int{10, 1000, *largest} {
		for _, shared := range []bool{false, true} {
			f := fleet{instances, shared, live(instances, shared)}
			t.Logf("%d instances, shared: %t", instances, shared)
			for n, c := range f.Day {
				if what := day[n]; shared {
					what.ahead = what.ahead || instances > 30_000 // of which some clocks are ahead
					c.holds(t, &what)
				} else {
					t.Log(c.line())
				}
			}
			all = append(all, f)
		}
	}
	object, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*report, object, 0o644); err != nil {
		t.Fatal(err)
	}
}
