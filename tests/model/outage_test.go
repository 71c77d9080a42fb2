package model_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"automatic-rostering.example/rostering/tests/model"
)

var seeds = flag.Uint64("seeds", 1, "how many seeds TestFleetOutages runs with")

// outage is an odd service, store or neighbor, and what it may cost at most.
type outage struct {
	name string
	size []int
	run  float64
	with func(*model.Fleet)
	max  limits
}

// limits bound what a run counts. The zero value allows no failed call and any number of requests.
type limits struct {
	errors, needless int
	ends             float64 // of the last failed call; replaces errors
	requests         int
	within10         int // token requests within the first 10 seconds
	atOnce           int
	waited           float64
}

// unbounded is more than any run counts.
const unbounded = math.MaxInt

func window(f *model.Fleet, from, to float64, r model.Response) {
	f.Responds = func(_ int, at float64) model.Response {
		if at >= from && at < to {
			return r
		}
		return model.Response{}
	}
}

func set(key, value string) func(int, map[string]string) {
	return func(_ int, config map[string]string) { config[key] = value }
}

// wrong gives some instances another secret, which the token endpoint rejects.
func wrong(f *model.Fleet, has func(instance int) bool) {
	f.Configure = func(n int, config map[string]string) {
		if has(n) {
			config["client_secret"] = "another-secret"
		}
	}
	f.Responds = func(n int, _ float64) (r model.Response) {
		if has(n) {
			r.Status = 401
		}
		return r
	}
}

func outages() (all []outage) {
	add := func(o outage) { all = append(all, o) }
	for _, lag := range []float64{6, 20, 45} {
		add(outage{fmt.Sprintf("a renewal, lag %.0f s", lag), []int{1, 20, 100}, 1300,
			func(f *model.Fleet) { f.Lifetime, f.Lag, f.LagFrom, f.Every = 600, lag, 10, 2 }, limits{requests: 4}})
	}
	for _, lag := range []float64{35, 120, 300} {
		for _, size := range []int{1, 50, 100} {
			bound := 6*lag + 15
			if size == 1 {
				bound = 3*lag + 20
			}
			add(outage{fmt.Sprintf("cold, lag %.0f s", lag), []int{size}, 7*lag + 100,
				func(f *model.Fleet) { f.Lag = lag }, limits{errors: unbounded, needless: unbounded, ends: bound, requests: 16}})
			add(outage{fmt.Sprintf("after a revocation, lag %.0f s", lag), []int{size}, 7*lag + 200,
				func(f *model.Fleet) { f.Lag, f.LagFrom, f.At = lag, 10, at(100, (*model.Fleet).Revoke) }, limits{errors: unbounded, needless: unbounded, ends: 100 + bound, requests: 40}})
		}
	}
	add(outage{"lag 35 s, and an instance that restarts each second", []int{100}, 600, func(f *model.Fleet) {
		f.Lag, f.At = 35, map[float64]func(*model.Fleet){}
		for t := 1.5; t < 600; t++ {
			f.At[t] = func(f *model.Fleet) { f.Restart(0) }
		}
	}, limits{errors: 800, needless: unbounded, requests: 30}})
	add(outage{"tokens of 300 s after tokens of an hour, margin 600", []int{50}, 4200, func(f *model.Fleet) {
		f.Configure, f.At = set("refresh_margin", "600"), at(100, func(f *model.Fleet) { f.Lifetime = 300 })
	}, limits{requests: 2 + 1200/150}})
	add(outage{"tokens of 30 s", []int{50}, 300, func(f *model.Fleet) { f.Lifetime = 30 }, limits{requests: 21}})
	add(outage{"one wrong secret", []int{200}, 60, func(f *model.Fleet) {
		wrong(f, func(n int) bool { return n == 0 })
	}, limits{errors: unbounded, within10: 2, requests: unbounded}})
	add(outage{"all secrets wrong", []int{200}, 60, func(f *model.Fleet) {
		wrong(f, func(n int) bool { return true })
	}, limits{errors: unbounded, within10: 5, requests: unbounded}})
	for _, size := range []int{50, 100} {
		add(outage{"a path that always responds 401, ten revocations", []int{size}, 720, func(f *model.Fleet) {
			f.At = map[float64]func(*model.Fleet){}
			for t := 60.; t <= 600; t += 60 {
				f.At[t] = (*model.Fleet).Revoke
			}
			f.Refuses = func(_ *model.Fleet, c *model.Call) bool { return c.Instance == 0 && c.Customer < 50 }
			f.Judged, f.Every = func(c *model.Call) bool { return c.Instance != 0 }, 1
		}, limits{errors: 30, needless: unbounded, requests: unbounded}})
	}
	for name, part := range map[string]string{"what is set": "", "tokens": "token", "the lock's values": "lock"} {
		add(outage{"a store that loses " + name, []int{100}, 300, func(f *model.Fleet) {
			f.StoreLoses = func(key string) bool { return part == "" || key == part }
		}, limits{errors: unbounded, needless: unbounded, waited: 29.5}})
	}
	add(outage{"a store of which 30 % of the operations fail", []int{100}, 300, func(f *model.Fleet) {
		f.StoreDown = func(f *model.Fleet) bool { return f.Float64() < .3 }
	}, limits{errors: unbounded, needless: unbounded, waited: 29.5}})
	add(outage{"503 for 690 s within the margin", []int{200}, 3300, func(f *model.Fleet) {
		f.Configure = set("refresh_margin", "1200")
		window(f, 2300, 3090, model.Response{Status: 503})
	}, limits{requests: 60}})
	add(outage{"three revocations within 10 s", []int{20, 50, 100}, 200, func(f *model.Fleet) {
		f.At = map[float64]func(*model.Fleet){100: (*model.Fleet).Revoke, 104: (*model.Fleet).Revoke, 108: (*model.Fleet).Revoke}
	}, limits{errors: 30, needless: 30, requests: 4}})
	for _, from := range []float64{0, 540} {
		for name, r := range map[string]model.Response{"429 with Retry-After: 2": {Status: 429, RetryAfter: 2}, "503 for 3 s": {Status: 503}} {
			where := map[bool]string{true: "cold", false: "within the margin"}[from == 0]
			add(outage{name + ", " + where, []int{1, 50}, from + 100, func(f *model.Fleet) {
				f.Lifetime = 600
				switch {
				case from > 0:
					window(f, 530, 545, r)
				case r.RetryAfter != 0:
					window(f, 0, 2, r)
				default:
					window(f, 0, 3, r)
				}
			}, limits{errors: 2, waited: 6.5}})
		}
	}
	return all
}

// TestFleetOutages keeps what an odd service, store or neighbor costs within its limits.
func TestFleetOutages(t *testing.T) {
	for _, o := range slices.Concat(outages(), hard(), troubles()) {
		for _, size := range o.size {
			for seed := range *seeds {
				t.Run(fmt.Sprintf("%s/%d instances/%d", o.name, size, seed+1), func(t *testing.T) {
					t.Parallel()
					f := model.Fleet{Instances: size, Every: 8, Skew: 1, Lifetime: 3600, Seed: seed + 1, Endpoint: .3, Store: .003, Service: .02}
					o.with(&f)
					if testing.Short() && o.run*float64(size)/f.Every > 15_000 {
						t.Skip("it takes long")
					}
					f.Run(o.run)
					c, most, early := f.Counts, o.max, 0
					for _, at := range c.Requests {
						if at < 10 {
							early++
						}
					}
					t.Logf("%-60s %d of %d calls failed, %d needlessly, the last at %.1f s; %d token requests, %d in 10 s, %d at once; longest wait %.1f s, failure %.1f s", fmt.Sprintf("%s/%d", o.name, size),
						c.Errors, c.Calls, c.Needless, c.LastError, c.TokenRequests, early, c.MostInFlight, c.Waited, c.Failing)
					if c.Errors > most.errors || c.Needless > most.needless || most.ends > 0 && c.LastError > most.ends {
						t.Error("too many calls failed")
					}
					if most.requests > 0 && c.TokenRequests > most.requests || most.within10 > 0 && early > most.within10 || most.atOnce > 0 && c.MostInFlight > most.atOnce {
						t.Error("too many token requests")
					}
					if most.waited > 0 && c.Waited > most.waited {
						t.Error("a call waited too long")
					}
				})
			}
		}
	}
}
