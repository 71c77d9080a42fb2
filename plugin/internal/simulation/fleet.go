//go:build !tinygo

// Package simulation runs a fleet of instances of the core on virtual time, against a
// simulated store, token endpoint and service. A run is told by its seed: the same one
// gives the same run, to the last event.
package simulation

import (
	"container/heap"
	"fmt"
	"math/rand/v2"

	"automatic-rostering/plugin/internal/call"
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
	// Latency is that of the token endpoint: between 0.8 and 1.5 times that.
	Latency float64
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
	queue  events
	next   uint64
	random *rand.Rand

	fleet   []*instance
	store   map[string]entry
	tokens  map[string]float64 // each with its expiry; a revoked one is not there
	granted int
	holder  *instance // that took the lock last
	under   int       // token requests under way
	refuses bool
}

// Answer is that of the token endpoint.
type Answer struct {
	Status     int // 0 for a token
	RetryAfter int
	Hangs      bool // until the driver's time-out
}

// Counts are what a run came to.
type Counts struct {
	Calls, TokenRequests, StoreOperations int
	// Requested are the times of the token requests.
	Requested []float64
	// MostUnderWay is the largest number of token requests at the same time.
	MostUnderWay int
	// Errors is the number of calls that failed, Unauthorized that of the 401s seen.
	Errors, Unauthorized int
	// Slowest is the longest time from the begin of a call to its first request to the
	// service, or its error.
	Slowest float64
}

type entry struct {
	value   string
	expires float64
}

// start is where virtual time begins, in Unix seconds.
const start = 1_800_000_000

// Run runs the fleet for a time.
func (f *Fleet) Run(end float64) {
	f.random = rand.New(rand.NewPCG(f.Seed, 1))
	f.store, f.tokens = map[string]entry{}, map[string]float64{}
	for at, event := range f.At {
		f.at(at, func() { event(f) })
	}
	for range f.Instances {
		i := &instance{fleet: f, vars: map[string][]byte{}}
		f.fleet = append(f.fleet, i)
		f.at(f.random.Float64()*f.Spread, i.live)
	}
	for len(f.queue) > 0 && f.queue[0].at <= end {
		e := heap.Pop(&f.queue).(event)
		f.time = e.at
		e.run()
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

// grant returns a new token.
func (f *Fleet) grant() string {
	if f.OneActive {
		f.Revoke()
	}
	f.granted++
	token := fmt.Sprintf("token-%08d", f.granted)
	f.tokens[token] = f.time + f.Lifetime
	return token
}

// accepts reports whether the service accepts a token.
func (f *Fleet) accepts(token string) bool {
	return !f.refuses && f.time < f.tokens[token]
}

func (f *Fleet) at(at float64, run func()) {
	f.next++
	heap.Push(&f.queue, event{at, f.next, run})
}

func (f *Fleet) after(seconds float64, run func()) { f.at(f.time+seconds, run) }

type event struct {
	at   float64
	turn uint64 // of events at the same time, the one that was made first comes first
	run  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].turn < e[j].turn
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

var _ call.Host = (*instance)(nil)
