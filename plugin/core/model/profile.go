package model

import "math/rand/v2"

// profile is what can happen in a run. Each run omits some of it, because what happens all the
// time hides other things.
type profile struct {
	instances int
	offsets   [3]int64 // of the instances' clocks
	accepts   int      // of most calls
	mixed     bool     // some calls accept less
	wasi      bool     // the instances have clocks
	short     bool     // a secret of a few bytes
	room      int      // for the vars of an instance
	weights   map[string]int
	noNow     int // how often now is omitted, in percent
	pause     int // how often time passes, in percent
}

func (p *profile) secret() string {
	if p.short {
		return "pw-7"
	}
	return secret
}

// kinds lists the actions with their usual weights.
var kinds = []struct {
	do     string
	weight int
	always bool
}{
	{"begin", 40, true},
	{"resume", 120, true},
	{"odd", 20, false}, // a result other than the surroundings'
	{"again", 8, false},
	{"elsewhere", 4, false},
	{"forge", 8, false},
	{"nonsense", 4, false},
	{"drop", 4, false},
	{"set_token", 6, false},
	{"clear_token", 2, false},
	{"config", 2, false},
	{"jump", 3, false},
	{"revoke", 4, false},
	{"refuse", 2, false},
	{"down", 4, false},
	{"store down", 2, false},
	{"forget", 2, false},
	{"poison", 3, false},
}

func newProfile(r *rand.Rand) profile {
	p := profile{instances: 1 + r.IntN(3), accepts: 2, weights: map[string]int{}}
	if r.IntN(3) == 0 {
		p.accepts = r.IntN(2)
	}
	p.mixed, p.wasi, p.short = r.IntN(3) == 0, r.IntN(5) == 0, r.IntN(10) == 0
	if r.IntN(30) == 0 {
		p.room = 800 + r.IntN(8000)
	}
	p.pause = []int{5, 20, 50}[r.IntN(3)]
	if r.IntN(2) == 0 {
		p.noNow = []int{5, 30}[r.IntN(2)]
	}
	if r.IntN(3) == 0 {
		p.offsets = [3]int64{0, 300 - int64(r.IntN(600)), []int64{3600, -3600, 90}[r.IntN(3)]}
	}
	for _, k := range kinds {
		switch {
		case k.always || r.IntN(2) == 0:
			p.weights[k.do] = k.weight
		case r.IntN(3) == 0:
			p.weights[k.do] = 1
		}
	}
	return p
}

// pick picks an action by its weight.
func (p *profile) pick(r *rand.Rand) string {
	sum := 0
	for _, k := range kinds {
		sum += p.weights[k.do]
	}
	n := r.IntN(sum)
	for _, k := range kinds {
		if n -= p.weights[k.do]; n < 0 {
			return k.do
		}
	}
	return "resume"
}
