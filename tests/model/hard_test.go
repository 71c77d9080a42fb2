package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/model"
)

// refusing is a service that refuses some customers, of which there are 100.
func refusing(f *model.Fleet, customers int) {
	f.Refuses = func(_ *model.Fleet, c *model.Call) bool { return c.Customer < customers }
	f.Judged = func(c *model.Call) bool { return c.Customer >= customers }
}

func revoked(f *model.Fleet, times ...float64) {
	f.At = map[float64]func(*model.Fleet){}
	for _, t := range times {
		f.At[t] = (*model.Fleet).Revoke
	}
}

// alone gives one instance another response of the token endpoint than its neighbors.
func alone(f *model.Fleet, r model.Response) {
	f.Responds = func(n int, _ float64) model.Response {
		if n == 0 {
			return r
		}
		return model.Response{}
	}
	f.Judged = func(c *model.Call) bool { return c.Instance != 0 }
}

func edited(from, to string) func(*model.Fleet) {
	return func(f *model.Fleet) {
		f.Edit(func(token string) string { return strings.Replace(token, from, to, 1) })
	}
}

// hard lists what once made a fleet fail for long.
func hard() (all []outage) {
	add := func(name string, size []int, run float64, max limits, with func(*model.Fleet)) {
		max.needless = unbounded // errors bound them, too
		all = append(all, outage{name, size, run, with, max})
	}
	add("direct calls, a path that always responds 401, a revocation", []int{1}, 13000, limits{errors: 60, requests: 700},
		func(f *model.Fleet) {
			f.Direct, f.Every, f.Lifetime = true, 1, 86400
			last := 0.
			f.Refuses = func(_ *model.Fleet, c *model.Call) bool { // each 5 s
				if c.At >= last+5 {
					last = c.At
				}
				return c.At == last
			}
			f.Judged = func(c *model.Call) bool { return c.At != last }
			revoked(f, 7000)
		})
	add("10 % of calls to a path that always responds 401, two revocations", []int{100}, 1000, limits{errors: 1300, requests: 250},
		func(f *model.Fleet) { f.Every = 1; refusing(f, 10); revoked(f, 300, 600) })
	add("3 % of calls to a path that always responds 401, two revocations", []int{100}, 1000, limits{errors: 150, requests: 250},
		func(f *model.Fleet) { f.Every = 1; refusing(f, 3); revoked(f, 300, 600) })
	for _, ahead := range []float64{5, 10, 30, 61, 100, 300, 1000, 3000} {
		add(fmt.Sprintf("a clock that is %.0f s ahead", ahead), []int{20}, 1000, limits{requests: 6}, func(f *model.Fleet) {
			f.Ahead, f.Every = ahead, 2
			f.Judged = func(c *model.Call) bool { return c.Instance != 0 }
			f.At = map[float64]func(*model.Fleet){
				60: func(f *model.Fleet) {
					f.Revoke()
					for n := 1; n < 20; n++ {
						f.Stop(n)
					}
				},
				100: func(f *model.Fleet) {
					for n := 1; n < 20; n++ {
						f.Restart(n)
					}
				},
				120: func(f *model.Fleet) { f.Stop(0) },
				122: (*model.Fleet).Revoke,
			}
		})
	}
	add("the year 9999 in the store, and a revocation", []int{20}, 2000, limits{errors: 30}, func(f *model.Fleet) {
		f.Every = 2
		f.At = map[float64]func(*model.Fleet){}
		f.At[100] = func(f *model.Fleet) {
			f.Edit(func(token string) string {
				before, _, _ := strings.Cut(token, `,"requested_at"`)
				return before + `,"requested_at":253402300799}`
			})
			f.Revoke()
		}
	})
	add("an old series in the store", []int{20}, 2000, limits{errors: 30}, func(f *model.Fleet) {
		f.At = at(0, edited("}", fmt.Sprintf(`,"requested_at":%d,"series":1}`, 1_800_000_000-1)))
	})
	add("a patience of 30 years in the store", []int{20}, 2000, limits{errors: 1000, ends: 400}, func(f *model.Fleet) {
		f.At = at(0, edited("}", fmt.Sprintf(`,"requested_at":%d,"patience":1000000000}`, 1_800_000_000-1)))
	})
	add("one of three nodes 45 s behind", []int{100}, 1500, limits{errors: 4200, requests: 120},
		func(f *model.Fleet) { f.Every, f.Nodes = 2, []float64{0, 0, 45} })
	add("nodes 0, 22 and 45 s behind", []int{100}, 1500, limits{errors: 8700, requests: 100},
		func(f *model.Fleet) { f.Every, f.Nodes = 2, []float64{0, 22, 45} })
	add("a store that never expires, 503 for 30 s", []int{200}, 1000, limits{errors: 1000, requests: 800},
		func(f *model.Fleet) { f.StoreKeeps = true; window(f, 0, 30, model.Response{Status: 503}) })
	for _, latency := range []float64{.1, .3, .6, .95} {
		add(fmt.Sprintf("a store of %v s that loses tokens", latency), []int{20}, 300, limits{waited: 26}, func(f *model.Fleet) {
			f.Store, f.StoreLoses = latency, func(key string) bool { return key == "token" }
		})
	}
	for _, status := range []int{407, 302} {
		for _, every := range []float64{8, 30, 60} {
			add(fmt.Sprintf("%d for one instance, calls each %.0f s", status, every), []int{2, 5}, 4000, limits{errors: 8, requests: 60},
				func(f *model.Fleet) { f.Every, f.First = every, 1; alone(f, model.Response{Status: status}) })
		}
	}
	add("429 with Retry-After: 300 for one instance", []int{2, 5, 20}, 4000, limits{errors: 500},
		func(f *model.Fleet) { alone(f, model.Response{Status: 429, RetryAfter: 300}) })
	add("lag 300 s, cold", []int{100}, 2000, limits{errors: 5000, ends: 400}, func(f *model.Fleet) { f.Lag = 300 })
	add("lag 60 s, cold", []int{200}, 600, limits{errors: 15000}, func(f *model.Fleet) { f.Lag, f.Every = 60, 1 })
	add("lag 120 s, cold", []int{100}, 1000, limits{errors: 2700}, func(f *model.Fleet) { f.Lag = 120 })
	add("one of 100 has a path that always responds 401", []int{100}, 720, limits{requests: 80}, func(f *model.Fleet) {
		f.Refuses = func(_ *model.Fleet, c *model.Call) bool { return c.Instance == 0 && c.Customer < 50 }
		f.Judged, f.Every = func(c *model.Call) bool { return c.Instance != 0 }, 1
	})
	add("503 for 120 s", []int{200}, 300, limits{errors: 3400, requests: 16}, func(f *model.Fleet) { window(f, 0, 120, model.Response{Status: 503}) })
	add("a hang of 120 s", []int{200}, 300, limits{errors: 3400, requests: 18}, func(f *model.Fleet) { window(f, 0, 120, model.Response{Hangs: true}) })
	add("rolling secrets with an overlap", []int{50}, 600, limits{requests: 10}, func(f *model.Fleet) {
		f.Configure = func(n int, config map[string]string) { config["client_secret"] = fmt.Sprint("secret-", n%2) }
		f.Responds = func(n int, at float64) (r model.Response) {
			if n%2 == 0 && at > 300 {
				r.Status = 401
			}
			return r
		}
		f.Lifetime = 900
	})
	add("a hang of a minute, a store of 0.6 s", []int{1000}, 200, limits{errors: unbounded, requests: 20}, func(f *model.Fleet) {
		f.Store, f.Every, f.Lifetime = .6, 10, 600
		window(f, 0, 60, model.Response{Hangs: true})
	})
	add("revoked each 5 s", []int{100}, 600, limits{errors: 600, requests: 150}, func(f *model.Fleet) {
		for t := 5.; t < 600; t += 5 {
			if f.At == nil {
				f.At = map[float64]func(*model.Fleet){}
			}
			f.At[t] = (*model.Fleet).Revoke
		}
	})
	add("20 % of 401s for a minute", []int{50}, 300, limits{errors: 900, requests: 150}, func(f *model.Fleet) {
		f.Every = 2
		f.Refuses = func(f *model.Fleet, c *model.Call) bool { return c.At > 100 && c.At < 160 && f.Float64() < .2 }
		f.Judged = func(*model.Call) bool { return true }
	})
	for name, most := range map[string]int{"lock": 200, "token": 2800} {
		add("one valid token, and a store that loses each "+name, []int{50}, 600, limits{errors: most}, func(f *model.Fleet) {
			f.OneActive, f.StoreLoses = true, func(key string) bool { return key == name }
		})
	}
	add("one valid token, and a store of which 30 % of the operations fail", []int{50}, 600, limits{errors: 3100}, func(f *model.Fleet) {
		f.OneActive, f.StoreDown = true, func(f *model.Fleet) bool { return f.Float64() < .3 }
	})
	add("one valid token that takes 15 s, after a 503", []int{20}, 900, limits{errors: 300}, func(f *model.Fleet) {
		f.Lifetime, f.OneActive, f.Endpoint = 600, true, 15
		window(f, 500, 560, model.Response{Status: 503})
	})
	add("tokens of one second", []int{20}, 200, limits{errors: 20, waited: 26}, func(f *model.Fleet) { f.Lifetime = 1.2 })
	return all
}

// random makes up a fleet and its surroundings.
func random(seed uint64) func(f *model.Fleet) {
	return func(f *model.Fleet) {
		r := rand.New(rand.NewPCG(seed, 9))
		pick := func(of ...float64) float64 { return of[r.IntN(len(of))] }
		one := func(in int) bool { return r.IntN(in) == 0 }
		f.Every, f.Lifetime = pick(2, 8, 30), pick(60, 300, 3600)
		f.Lag, f.LagFrom = pick(0, 0, 0, 5, 25, 60, 120), pick(0, 10)
		f.Store = pick(.003, .03, .3)
		f.Endpoint, f.Skew, f.Service = pick(.1, .3, 3), 1, .02
		f.OneActive, f.Repeats, f.NoStore, f.NoUsed, f.StoreKeeps = one(8), one(8), one(8), one(6), one(10)
		if one(6) {
			f.Nodes = []float64{0, pick(0, 20), pick(20, 60)}
		}
		if one(4) {
			refusing(f, 1+r.IntN(10))
		}
		if one(6) {
			window(f, pick(0, 50), pick(80, 120), model.Response{Status: int(pick(503, 503, 429, 400))})
		} else if one(8) {
			alone(f, model.Response{Status: int(pick(407, 302, 503))})
		}
		if one(8) {
			share := pick(.1, .5, 1)
			f.StoreDown = func(f *model.Fleet) bool { return f.Float64() < share }
		}
		if one(10) {
			f.StoreLoses = func(string) bool { return true }
		}
		f.At = map[float64]func(*model.Fleet){}
		for range r.IntN(6) {
			f.At[float64(20+r.IntN(250))] = (*model.Fleet).Revoke
		}
		if one(6) {
			for t := .5; t < 300; t += pick(1, 10) {
				f.At[t] = func(f *model.Fleet) { f.Restart(0) }
			}
		}
	}
}

// TestRandomFleets bounds what random fleets cost in all.
func TestRandomFleets(t *testing.T) {
	calls, errors, requests := 0, 0, 0
	for n := range uint64(100) {
		f := model.Fleet{Instances: 1 + int(n*7)%30, Seed: n}
		random(n)(&f)
		f.Run(300)
		calls, errors, requests = calls+f.Calls, errors+f.Errors, requests+f.TokenRequests
	}
	t.Logf("%d of %d calls failed; %d token requests", errors, calls, requests)
	if errors > 41_000 || requests > 4_000 {
		t.Error("too many")
	}
}
