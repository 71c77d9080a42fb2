package simulation_test

import (
	"fmt"
	"testing"

	"automatic-rostering/plugin/internal/simulation"
)

const instances = 1000

// healthy is a fleet whose surroundings all work.
func healthy() simulation.Fleet {
	return simulation.Fleet{Instances: instances, Every: 10, Latency: 0.3, Lifetime: 600}
}

func until(end float64, answer simulation.Answer) func(float64) simulation.Answer {
	return func(at float64) simulation.Answer {
		if at < end {
			return answer
		}
		return simulation.Answer{}
	}
}

func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute of a processor")
	}
	for _, tt := range []struct {
		name string
		run  float64
		with func(*simulation.Fleet)
		// The bounds of what it may come to: token requests, how many at once, and errors.
		least, most, atOnce, errors int
		more                        func(simulation.Counts) error
	}{
		{name: "all start at once, one renewal", run: 620, least: 2, most: 2, atOnce: 1,
			more: func(c simulation.Counts) error {
				if c.Slowest > 1.2 {
					return fmt.Errorf("the slowest call was ready after %.2f s", c.Slowest)
				}
				return nil
			}},
		{name: "all start at once: operations on the store", run: 5, least: 1, most: 1, atOnce: 1,
			more: func(c simulation.Counts) error {
				if c.StoreOperations > 8*instances {
					return fmt.Errorf("%d operations on the store for each instance", c.StoreOperations/instances)
				}
				return nil
			}},
		{name: "start within a minute", run: 620, least: 2, most: 2, atOnce: 1,
			with: func(f *simulation.Fleet) { f.Spread = 60 }},
		{name: "without a store, each for itself", run: 60, least: instances, most: instances, atOnce: instances,
			with: func(f *simulation.Fleet) { f.NoStore = true }},
		{name: "the token is revoked", run: 400, least: 2, most: 2, atOnce: 1,
			with: func(f *simulation.Fleet) { f.At = map[float64]func(*simulation.Fleet){300: (*simulation.Fleet).Revoke} }},
		{name: "one active token, and it is revoked", run: 400, least: 2, most: 2, atOnce: 1,
			with: func(f *simulation.Fleet) {
				f.OneActive = true
				f.At = map[float64]func(*simulation.Fleet){300: (*simulation.Fleet).Revoke}
			}},
		{name: "503 for two minutes", run: 200, least: 2, most: 15, atOnce: 1, errors: 1 << 30,
			with: func(f *simulation.Fleet) { f.TokenEndpoint = until(120, simulation.Answer{Status: 503}) }},
		{name: "429 with Retry-After for two minutes", run: 200, least: 5, most: 5, atOnce: 1, errors: 1 << 30,
			with: func(f *simulation.Fleet) {
				f.TokenEndpoint = until(120, simulation.Answer{Status: 429, RetryAfter: 30})
			},
			more: func(c simulation.Counts) error {
				for i := 1; i < len(c.Requested); i++ {
					if pause := c.Requested[i] - c.Requested[i-1]; pause < 29 {
						return fmt.Errorf("token requests at %v", c.Requested)
					}
				}
				return nil
			}},
		{name: "the service refuses every token for five minutes", run: 300, least: 2, most: 16, atOnce: 1, errors: 1 << 30,
			with: func(f *simulation.Fleet) {
				f.At = map[float64]func(*simulation.Fleet){0: func(f *simulation.Fleet) { f.RefuseAll(true) }}
			}},
		{name: "the token endpoint takes 15 s", run: 60, least: 1, most: 3, atOnce: 3,
			with: func(f *simulation.Fleet) { f.Latency = 12 }},
		// Who has waited for 30 s goes on without the store.
		{name: "the token endpoint hangs for a minute", run: 200, least: 2, most: instances / 10, atOnce: instances / 10, errors: 1 << 30,
			with: func(f *simulation.Fleet) { f.TokenEndpoint = until(60, simulation.Answer{Hangs: true}) }},
		{name: "the store is down during a renewal", run: 620, least: instances / 2, most: instances + 1, atOnce: instances,
			with: func(f *simulation.Fleet) { f.StoreDown = func(at float64) bool { return at > 200 && at < 610 } }},
		{name: "the store forgets all every 100 s", run: 620, least: 2, most: 4, atOnce: 1,
			with: func(f *simulation.Fleet) {
				f.At = map[float64]func(*simulation.Fleet){}
				for at := 100.0; at < 620; at += 100 {
					f.At[at] = (*simulation.Fleet).Forget
				}
			}},
		{name: "the holder of the lock dies", run: 60, least: 2, most: 2, atOnce: 2,
			with: func(f *simulation.Fleet) {
				f.At = map[float64]func(*simulation.Fleet){0.2: (*simulation.Fleet).KillHolder}
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(2) {
				f := healthy()
				if f.Seed = seed + 1; tt.with != nil {
					tt.with(&f)
				}
				f.Run(tt.run)
				c := f.Counts
				t.Logf("seed %d: %d calls, %d token requests, %d at once, %d store operations, slowest %.2f s, %d errors, %d answers 401",
					f.Seed, c.Calls, c.TokenRequests, c.MostUnderWay, c.StoreOperations, c.Slowest, c.Errors, c.Unauthorized)
				if c.TokenRequests < tt.least || c.TokenRequests > tt.most {
					t.Errorf("seed %d: %d token requests, not %d to %d", f.Seed, c.TokenRequests, tt.least, tt.most)
				}
				if c.MostUnderWay > tt.atOnce {
					t.Errorf("seed %d: %d token requests at once", f.Seed, c.MostUnderWay)
				}
				if c.Errors > tt.errors {
					t.Errorf("seed %d: %d calls failed", f.Seed, c.Errors)
				}
				if tt.more != nil {
					if err := tt.more(c); err != nil {
						t.Errorf("seed %d: %v", f.Seed, err)
					}
				}
			}
		})
	}
}
