// Package model finds errors of the core between calls: it checks invariants of the contract in
// random sequences (Run), and simulates fleets in virtual time (Fleet). Each run is determined by
// its seed.
package model

import "math/rand/v2"

// profile is what can happen in a run. Each run omits some of it, because what happens all the
// time hides other things.
type profile struct {
	instances            int
	skews                [3]int64
	shared, odd, repeats bool
	noNow                bool
	pause                int // how often time passes, in percent
	weights              [len(kinds)]int
}

// kinds lists the actions with their weights.
var kinds = [...]struct {
	name   string
	weight int
}{
	{"begin", 50}, {"resume", 150}, {"again", 6}, {"elsewhere", 4}, {"perform", 40}, {"wait out", 2}, {"direct", 15}, {"forge", 10}, {"drop", 1},
	{"set", 5}, {"clear", 2}, {"config", 1}, {"rotate", 4}, {"skew", 3},
	{"down", 4}, {"up", 6}, {"store", 2}, {"forget", 2}, {"poison", 4},
}

func newProfile(r *rand.Rand) profile {
	p := profile{instances: 1 + r.IntN(3), shared: r.IntN(3) > 0, odd: r.IntN(2) == 0, repeats: r.IntN(3) == 0, noNow: r.IntN(3) == 0, pause: []int{5, 20, 50}[r.IntN(3)]}
	if r.IntN(3) == 0 {
		p.skews = [3]int64{0, 300 - int64(r.IntN(600)), []int64{3600, -3600, 90}[r.IntN(3)]}
	}
	for n, k := range kinds {
		if n < 2 || r.IntN(2) == 0 {
			p.weights[n] = k.weight
		}
	}
	return p
}

func (w *world) pick() string {
	sum := 0
	for _, weight := range w.weights {
		sum += weight
	}
	n := w.IntN(sum)
	for k, weight := range w.weights {
		if n -= weight; n < 0 {
			return kinds[k].name
		}
	}
	return "resume"
}

// Run runs a random sequence of actions on the core, determined by its seed.
func Run(seed uint64, length int) (steps int, finding *Finding) {
	r := rand.New(rand.NewPCG(seed, 2))
	p := newProfile(r)
	actions := make([]uint64, length)
	for n := range actions {
		actions[n] = r.Uint64()
	}
	return replay(p, actions, nil)
}

func replay(p profile, actions []uint64, trace func(string)) (steps int, finding *Finding) {
	w := newWorld(p)
	w.trace = trace
	for n, a := range actions {
		if w.act(a); w.finding != nil {
			w.finding.profile, w.finding.actions = p, actions[:n+1]
			break
		}
	}
	return w.steps, w.finding
}

// Shrink removes from a finding's actions whatever it does not need.
func (f *Finding) Shrink() {
	for changed := true; changed; {
		changed = false
		for size := len(f.actions) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(f.actions); {
				fewer := append(append([]uint64(nil), f.actions[:at]...), f.actions[at+size:]...)
				if _, found := replay(f.profile, fewer, nil); found != nil && found.Rule == f.Rule {
					*f, changed = *found, true
				} else {
					at += size
				}
			}
		}
	}
}

// Trace reports all that happens in a finding's sequence.
func (f *Finding) Trace(line func(string)) { replay(f.profile, f.actions, line) }
