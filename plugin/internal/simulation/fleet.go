//go:build !tinygo

// Package simulation finds what the core does wrong between calls. A fleet of instances
// lives on virtual time, with a simulated store, token endpoint and service (Fleet); and
// random sequences of actions, with every result and nonsense, are held to a model of the
// contract (Run). Each run is told by its seed: the same one gives the same run, to the
// last event.
package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Fleet is a number of instances, and their surroundings. Times are seconds from the
// start on.
type Fleet struct {
	Instances int
	Seed      uint64
	// Every is the mean time between two calls of one instance, Spread the time over
	// which the instances start.
	Every, Spread float64
	// NoStore lets every instance care for itself.
	NoStore bool
	// Skew is how far the clock of an instance is ahead; nil is not at all.
	Skew func(instance int) float64
	// Endpoint, Store and Service are how long those take. Of several latencies one is
	// drawn each time.
	Endpoint, Store, Service []Latency
	// Lifetime is that of a token.
	Lifetime float64
	// OneActive says that a new token revokes those before it.
	OneActive bool
	// TokenEndpoint tells how it answers at a time; nil always answers with a token.
	TokenEndpoint func(at float64) Answer
	// StoreDown tells whether the store fails at a time; nil never does.
	StoreDown func(at float64) bool
	// At are events, by their time.
	At map[float64]func(*Fleet)

	Counts

	time   float64
	queue  queue
	turn   uint64
	random *rand.Rand

	members []*member
	store   map[string]entry
	tokens  map[string]float64 // each with its expiry; a revoked one is not there
	granted int
	holder  *member // that took the lock last
	under   int     // token requests under way
	refuses bool
	input   []byte // of the call that begins
}

// Latency is a range of times. Of a number of requests, a part gets no answer.
type Latency struct{ Least, Most, Hangs float64 }

// Takes is a latency about a time.
func Takes(seconds float64) []Latency {
	return []Latency{{Least: .8 * seconds, Most: 1.5 * seconds}}
}

// Hangs is a latency of requests that get no answer.
var Hangs = []Latency{{Hangs: 1}}

// Mixed is any latency: none, 30 ms, 0.9 s and, of one in fifty, no end.
var Mixed = []Latency{{}, {Least: .03, Most: .03}, {Least: .9, Most: .9}, {Least: 0, Most: .9, Hangs: .08}}

// Answer is that of the token endpoint.
type Answer struct {
	Status     int // 0 for a token
	RetryAfter int
	Hangs      bool // until the driver's time-out
}

// Counts are what a run came to.
type Counts struct {
	Calls, TokenRequests, StoreOperations int
	// Requested are the times of the token requests, the first thousand of them.
	Requested []float64
	// MostUnderWay is the largest number of token requests at the same time.
	MostUnderWay int
	// Errors is the number of calls that failed, NotRetryable of those that said so.
	Errors, NotRetryable int
	// Needless is the number of calls that failed though their instance had a valid token.
	Needless int
	// LastError is the time of the last call that failed.
	LastError float64
	// Unauthorized is the number of 401s, and Dead of those to a token that the instance
	// had met a 401 with before.
	Unauthorized, Dead int
	// Open is the number of calls under way, MostOpen the largest.
	Open, MostOpen int
	// Slowest is the longest time from the begin of a call to its first request to the
	// service, or its error; SlowestValid that of calls whose instance had a token that was
	// valid for longer than a third of the margin.
	Slowest, SlowestValid float64
}

// Run runs the fleet for a time.
func (f *Fleet) Run(end float64) {
	f.random = rand.New(rand.NewPCG(f.Seed, 1))
	f.store, f.tokens = map[string]entry{}, map[string]float64{}
	for at, event := range f.At {
		f.at(at, func() { event(f) })
	}
	config := configOf("client-a", secret)
	for n := range f.Instances {
		m := &member{fleet: f, host: newHost(config)}
		if f.Skew != nil {
			m.skew = int64(math.Round(f.Skew(n)))
		}
		f.members = append(f.members, m)
		f.next(m, f.random.Float64()*f.Spread)
	}
	for len(f.queue) > 0 && f.queue[0].at <= end {
		e := f.queue.pop()
		f.time = e.at
		if e.next != nil {
			e.next.live()
		} else {
			e.run()
		}
	}
}

// Revoke makes the service refuse every token so far.
func (f *Fleet) Revoke() { clear(f.tokens) }

// RefuseAll makes the service refuse every token, new ones too, or no longer.
func (f *Fleet) RefuseAll(refuses bool) { f.refuses = refuses }

// Forget empties the store.
func (f *Fleet) Forget() { clear(f.store) }

// KillHolder ends the instance that took the lock last.
func (f *Fleet) KillHolder() { f.holder.dead = true }

func (f *Fleet) between(least, most float64) float64 {
	return least + f.random.Float64()*(most-least)
}

// takes draws how long something takes, which is given up after a time-out.
func (f *Fleet) takes(latencies []Latency, timeout float64) (seconds float64, ok bool) {
	l := latencies[0]
	if len(latencies) > 1 {
		l = latencies[f.random.IntN(len(latencies))]
	}
	if l.Hangs > 0 && f.random.Float64() < l.Hangs {
		return timeout, false
	}
	seconds = f.between(l.Least, l.Most)
	return min(seconds, timeout), seconds < timeout
}

// grant returns a new token.
func (f *Fleet) grant() string {
	if f.OneActive {
		f.Revoke()
	}
	for text, expires := range f.tokens {
		if expires < f.time {
			delete(f.tokens, text)
		}
	}
	f.granted++
	text := fmt.Sprintf("token-%08d", f.granted)
	f.tokens[text] = f.time + f.Lifetime
	return text
}

// accepts reports whether the service accepts a token.
func (f *Fleet) accepts(text string) bool { return f.acceptsFor(text, 0) }

func (f *Fleet) acceptsFor(text string, seconds float64) bool {
	return !f.refuses && f.time+seconds < f.tokens[text]
}

func (f *Fleet) at(at float64, run func()) {
	f.turn++
	f.queue.push(event{at: at, turn: f.turn, run: run})
}

func (f *Fleet) after(seconds float64, run func()) { f.at(f.time+seconds, run) }

func (f *Fleet) next(m *member, at float64) {
	f.turn++
	f.queue.push(event{at: at, turn: f.turn, next: m})
}
