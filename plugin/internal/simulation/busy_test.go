package simulation_test

import (
	"fmt"
	"testing"

	"automatic-rostering/plugin/internal/simulation"
)

// busy are instances whose calls come faster than they end: 20 a second on each.
var busy = []happening{
	{name: "the service refuses every token", least: 2, most: 16, errors: unbounded,
		with: func(f *simulation.Fleet) {
			f.At = at(0, func(f *simulation.Fleet) { f.RefuseAll(true) })
		}},
	{name: "429 of a minute, and the store hangs", least: 5, most: 6 * services, errors: unbounded,
		with: func(f *simulation.Fleet) {
			f.Store = simulation.Hangs
			f.TokenEndpoint = until(300, simulation.Response{Status: 429, RetryAfter: 60})
		},
		more: func(c simulation.Counts) error {
			if c.Slowest > 4 {
				return fmt.Errorf("a call took %.1f s to fail", c.Slowest)
			}
			return nil
		}},
	{name: "the token is revoked, and the token endpoint down for as long", least: 5, most: 16, errors: unbounded, more: noDeadToken,
		with: func(f *simulation.Fleet) {
			f.At = at(30, (*simulation.Fleet).Revoke)
			f.TokenEndpoint = func(at float64) simulation.Response {
				if at > 30 {
					return simulation.Response{Status: 503}
				}
				return simulation.Response{}
			}
		}},
	{name: "one 503, with clocks that differ", least: 2, most: 8, errors: unbounded, more: endsBy(60),
		with: func(f *simulation.Fleet) {
			f.Skew = func(n int) float64 { return []float64{0, 3600, -300, 300, 90}[n%5] }
			f.At = at(40, (*simulation.Fleet).Revoke)
			f.TokenEndpoint = func(at float64) simulation.Response {
				if at > 40 && at < 41 {
					return simulation.Response{Status: 503}
				}
				return simulation.Response{}
			}
		}},
	{name: "the token endpoint hangs for a minute", least: 3, most: 40, errors: unbounded, more: endsBy(150),
		with: func(f *simulation.Fleet) {
			f.TokenEndpoint = until(60, simulation.Response{Hangs: true})
		}},
	{name: "anything takes any time", least: 3, most: 60, errors: unbounded,
		with: func(f *simulation.Fleet) {
			f.Store, f.Endpoint, f.Service = simulation.Mixed, simulation.Mixed, simulation.Mixed
			f.Lifetime = 100
		}},
}

const services = 5

func endsBy(time float64) func(simulation.Counts) error {
	return func(c simulation.Counts) error {
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
				f := simulation.Fleet{Instances: services, Every: .05, Lifetime: 3600, Seed: 2,
					Endpoint: simulation.Takes(.3), Store: l.latency, Service: simulation.Takes(.02)}
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
