package model_test

import (
	"fmt"

	"automatic-rostering.example/rostering/tests/model"
)

func refusesAll(f *model.Fleet, c *model.Call) bool { return c.At > 100 && c.At < 105 }

// troubles are what must not fail other calls, with a store and without.
func troubles() (all []outage) {
	add := func(name string, needless int, with func(*model.Fleet)) {
		for n, sizes := range [][]int{{5, 50, 500}, {1, 50}} {
			all = append(all, outage{fmt.Sprintf("%s, a store: %v", name, n == 0), sizes, 600,
				func(f *model.Fleet) {
					f.NoStore, f.Lifetime = n > 0, 300
					with(f)
				}, limits{errors: unbounded, needless: needless}})
		}
	}
	add("the same token again, after one stray 401", 0, func(f *model.Fleet) {
		f.Repeats = true
		stray := false
		f.Refuses = func(_ *model.Fleet, c *model.Call) bool {
			first := c.At > 100 && !stray
			stray = stray || first
			return first
		}
	})
	add("the same token again, after all are refused for 5 seconds", 0, func(f *model.Fleet) {
		f.Repeats, f.Refuses = true, refusesAll
	})
	add("the same, and a customer with 1 % of the calls always gets 401", 0, func(f *model.Fleet) {
		f.Repeats = true
		f.Refuses = func(f *model.Fleet, c *model.Call) bool { return c.Customer == 0 || refusesAll(f, c) }
	})
	add("a customer with 1 % of the calls always gets 401", 0, func(f *model.Fleet) {
		f.Refuses = func(_ *model.Fleet, c *model.Call) bool { return c.Customer == 0 }
	})
	add("new tokens are refused for 3 seconds: after the start, hardly a call fails", 2, func(f *model.Fleet) {
		f.Lag, f.Judged = 3, func(c *model.Call) bool { return c.At > 15 }
	})
	add("a rolling secret: no call fails where it is the new one", 0, func(f *model.Fleet) {
		f.Judged = func(c *model.Call) bool { return c.Instance%10 == 0 }
		f.Configure = func(n int, config map[string]string) {
			if n%10 != 0 {
				config["client_secret"] = "old-secret"
			}
		}
		f.Responds = func(n int, at float64) (r model.Response) {
			if at > 100 && n%10 != 0 {
				r.Status = 401
			}
			return r
		}
	})
	return all
}
