package model_test

import (
	"fmt"
	"testing"

	"automatic-rostering/plugin/core/model"
)

// rollouts are what happens to a fleet every ten minutes while its instances are replaced.
var rollouts = []struct {
	name     string
	fails    bool // some calls fail, whatever the versions
	settings func(*model.Fleet)
}{
	{"the token is revoked", false, func(*model.Fleet) {}},
	{"one active token, and it is revoked", false, func(f *model.Fleet) { f.OneActive = true }},
	{"the token is revoked, and 429 with Retry-After for five seconds", true, func(f *model.Fleet) {
		f.TokenEndpoint = func(at float64) model.Response {
			if at > tenMinutes && int(at)%tenMinutes < 5 {
				return model.Response{Status: 429, RetryAfter: 120}
			}
			return model.Response{}
		}
	}},
}

// replaced runs a fleet for three hours, and replaces its instances one by one in the
// second hour. It returns the counts of each hour.
func replaced(instances int, settings func(*model.Fleet), replace func(*model.Fleet, int)) (hours []model.Counts) {
	f := model.Fleet{Instances: instances, Every: 10, Spread: 60, Lifetime: hour, Seed: *seed,
		Endpoint: inAMoment, Store: soon, Service: model.Takes(.05)}
	f.Skew = func(n int) float64 { return float64(n%5)*.4 - .8 }
	settings(&f)
	f.At = map[float64]func(*model.Fleet){}
	for at := 1; at < 18; at++ {
		f.At[tenMinutes*float64(at)] = (*model.Fleet).Revoke
	}
	for n := range instances {
		f.At[hour+hour*(float64(n)+.5)/float64(instances)] = func(f *model.Fleet) { replace(f, n) }
	}
	for h := 1; h <= 3; h++ {
		f.At[hour*float64(h)-1] = func(f *model.Fleet) {
			hours = append(hours, f.Counts)
			f.Counts = model.Counts{Open: f.Open}
		}
	}
	f.Run(3 * hour)
	return hours
}

// TestUpgrade compares a fleet in which the next version replaces this one with a fleet whose
// instances are replaced by the same version.
func TestUpgrade(t *testing.T) {
	instances := instances
	if testing.Short() {
		instances = 50
	}
	for _, r := range rollouts {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			plain := replaced(instances, r.settings, (*model.Fleet).Replace)
			for h, c := range replaced(instances, r.settings, (*model.Fleet).Upgrade) {
				p := &plain[h]
				came := came{Name: fmt.Sprintf("hour %d, %d token requests without the upgrade", h+1, p.TokenRequests), Counts: c}
				t.Log(came.line())
				most := p.TokenRequests
				if h == 1 {
					most *= 2
				}
				switch {
				case c.TokenRequests > most, c.MostUnderWay > 1:
					t.Errorf("%d token requests, %d at once", c.TokenRequests, c.MostUnderWay)
				case c.Errors > 0 && !r.fails, c.Errors > p.Errors*11/10:
					t.Errorf("%d calls failed, %d without the upgrade", c.Errors, p.Errors)
				case c.Dead+c.Expired+c.Early+c.Needless > 0, c.SlowestValid > 0, c.Slowest > 5:
					t.Errorf("%+v", c)
				}
			}
		})
	}
}
