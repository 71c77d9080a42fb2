package model_test

import (
	"fmt"
	"testing"

	"automatic-rostering/plugin/core/model"
)

// busy are instances whose calls come faster than they end: 20 a second on each.
var busy = []happening{
	{name: "the service refuses every token", least: 2, most: 16, errors: unbounded,
		with: func(f *model.Fleet) {
			f.At = at(0, func(f *model.Fleet) { f.RefuseAll(true) })
		}},
	{name: "429 of a minute, and the store hangs", least: 5, most: 6 * services, errors: unbounded,
		with: func(f *model.Fleet) {
			f.Store = model.Hangs
			f.TokenEndpoint = until(300, model.Response{Status: 429, RetryAfter: 60})
		},
		more: func(c model.Counts) error {
			if c.Slowest > 4 {
				return fmt.Errorf("a call took %.1f s to fail", c.Slowest)
			}
			return nil
		}},
	{name: "the token is revoked, and the token endpoint down for as long", least: 5, most: 16, errors: unbounded, more: noDeadToken,
		with: func(f *model.Fleet) {
			f.At = at(30, (*model.Fleet).Revoke)
			f.TokenEndpoint = func(at float64) model.Response {
				if at > 30 {
					return model.Response{Status: 503}
				}
				return model.Response{}
			}
		}},
	{name: "one 503, with clocks that differ", least: 2, most: 8, errors: unbounded, more: endsBy(60),
		with: func(f *model.Fleet) {
			f.Skew = func(n int) float64 { return []float64{0, 3600, -300, 300, 90}[n%5] }
			f.At = at(40, (*model.Fleet).Revoke)
			f.TokenEndpoint = func(at float64) model.Response {
				if at > 40 && at < 41 {
					return model.Response{Status: 503}
				}
				return model.Response{}
			}
		}},
	{name: "the token endpoint hangs for a minute", least: 3, most: 40, errors: unbounded, more: endsBy(150),
		with: func(f *model.Fleet) {
			f.TokenEndpoint = until(60, model.Response{Hangs: true})
		}},
	{name: "anything takes any time", least: 3, most: 60, errors: unbounded,
		with: func(f *model.Fleet) {
			f.Store, f.Endpoint, f.Service = model.Mixed, model.Mixed, model.Mixed
			f.Lifetime = 100
		}},
}

const services = 5

func endsBy(time float64) func(model.Counts) error {
	return func(c model.Counts) error {
		if c.LastError > time {
			return fmt.Errorf("a call failed at %.0f s", c.LastError)
		}
		return nil
	}
}

// TestBusyService keeps few instances with many calls at once within their limits.
func TestBusyService(t *testing.T) {
	for _, h := range busy {
		for _, l := range latencies {
			t.Run(h.name+"/a store of "+l.name, func(t *testing.T) {
				t.Parallel()
				f := model.Fleet{Instances: services, Every: .05, Lifetime: 3600, Seed: 2,
					Endpoint: model.Takes(.3), Store: l.latency, Service: model.Takes(.02)}
				h.with(&f)
				h.atOnce = services
				f.Run(300)
				holdsTo(t, &h, f.Counts)
				// A call takes 20 s for its token request, 30 s of waits, and 30 s in the service.
				if most := 20 * services * 40; f.MostOpen > most {
					t.Errorf("%d calls open at once", f.MostOpen)
				}
			})
		}
	}
}
