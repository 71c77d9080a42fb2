//go:build !tinygo

// Package model finds errors of the core between calls. It has a discrete-event
// simulation of a fleet of instances with a store, a token endpoint and a service (Fleet),
// and compares random sequences of actions, with valid and invalid results, with a model of
// the contract (Run). Each run is determined by its seed, to the last event.
package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Fleet is a number of instances and their surroundings. Times are seconds since the start.
type Fleet struct {
	Instances int
	Seed      uint64
	// Every is the mean time between two calls of one instance, Spread the time over
	// which the instances start.
	Every, Spread float64
	// NoStore makes every instance request its own tokens.
	NoStore bool
	// Skew returns how far the clock of an instance is ahead; nil means not at all.
	Skew func(instance int) float64
	// Endpoint, Store and Service are the latencies of those. If there are several, one is
	// drawn each time.
	Endpoint, Store, Service []Latency
	// Lifetime is the lifetime of a token.
	Lifetime float64
	// OneActive says that a new token revokes those before it.
	OneActive bool
	// TokenEndpoint returns its response at a time; nil always grants a token.
	TokenEndpoint func(at float64) Response
	// StoreDown reports whether the store fails at a time; nil means that it never does.
	StoreDown func(at float64) bool
	// At has events by their time.
	At map[float64]func(*Fleet)

	Counts

	time   float64
	queue  queue
	turn   uint64
	random *rand.Rand

	members    []*member
	config     map[string]string
	store      map[string]entry
	granted    int     // tokens so far
	revoked    int     // of these, the first
	holder     *member // that took the lock last
	under      int     // token requests under way
	quietUntil float64 // when the token endpoint's Retry-After ends
	refuses    bool
	input      []byte // of the call that begins

	second   int64 // of the last operation on the store
	inSecond int   // operations in it
}

// tolerance is how many seconds before the end of Retry-After a token request may be sent:
// clocks are read in whole seconds, and differ.
const tolerance = 3

// Latency is a range of times. Hangs is the fraction of requests that get no response.
type Latency struct{ Least, Most, Hangs float64 }

// Takes returns a latency around a time.
func Takes(seconds float64) []Latency {
	return []Latency{{Least: .8 * seconds, Most: 1.5 * seconds}}
}

// Hangs is a latency of requests that get no response.
var Hangs = []Latency{{Hangs: 1}}

// Mixed is any latency: none, 30 ms, 0.9 s and, for one request in fifty, no response.
var Mixed = []Latency{{}, {Least: .03, Most: .03}, {Least: .9, Most: .9}, {Least: 0, Most: .9, Hangs: .08}}

// Response is a response of the token endpoint.
type Response struct {
	Status     int // 0 for a token
	RetryAfter int
	Hangs      bool // until the driver's timeout
}

// Counts are the results of a run.
type Counts struct {
	Calls, TokenRequests, StoreOperations int
	// PeakStore is the largest number of operations on the store in a second.
	PeakStore int
	// Requested are the times of the first thousand token requests.
	Requested []float64
	// MostUnderWay is the largest number of token requests at the same time.
	MostUnderWay int
	// Errors is the number of calls that failed, NotRetryable of those whose error is not
	// retryable.
	Errors, NotRetryable int
	// Codes counts the errors by code.
	Codes map[string]int
	// Needless is the number of calls that failed though their instance had a valid token.
	Needless int
	// LastError is the time of the last call that failed.
	LastError float64
	// Unauthorized is the number of 401s, and Dead of those to a token for which the instance
	// had got a 401 before.
	Unauthorized, Dead int
	// Expired is the number of requests with an expired token from instances with the right
	// time; Early that of token requests before the end of a Retry-After that the instance,
	// or the fleet with a store, had got.
	Expired, Early int
	// Open is the number of calls under way, MostOpen the largest.
	Open, MostOpen int
	// Slowest is the longest time from the beginning of a call to its first request to the
	// service, or its error; SlowestValid that of calls whose instance had a token that was
	// valid for longer than a third of the margin.
	Slowest, SlowestValid float64
}

// Run runs the fleet until a time.
func (f *Fleet) Run(end float64) {
	f.random = rand.New(rand.NewPCG(f.Seed, 1))
	f.store = map[string]entry{}
	for at, event := range f.At {
		f.at(at, func() { event(f) })
	}
	f.config = configOf("client-a", secret)
	f.members = make([]*member, f.Instances)
	for n := range f.members {
		f.start(n, f.random.Float64()*f.Spread)
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

// start starts an instance.
func (f *Fleet) start(n int, at float64) {
	m := &member{fleet: f, host: newHost(f.config)}
	if f.Skew != nil {
		m.skew = int64(math.Round(f.Skew(n)))
	}
	f.members[n] = m
	f.next(m, at)
}

// Replace ends an instance, wherever it is, and starts another.
func (f *Fleet) Replace(n int) {
	f.members[n].dead = true
	f.start(n, f.time)
}

// Shift changes the clock of an instance.
func (f *Fleet) Shift(n int, seconds int64) { f.members[n].skew += seconds }

// FreezeHolder stops the instance that took the lock last, wherever it is, for a time.
func (f *Fleet) FreezeHolder(seconds float64) {
	if f.holder != nil {
		f.holder.frozen = f.time + seconds
	}
}

// thaws reports whether an instance is frozen, and then schedules how it continues.
func (f *Fleet) thaws(m *member, then func()) bool {
	if f.time < m.frozen {
		f.at(m.frozen, then)
		return true
	}
	return false
}

// open counts a call that begins, close one that has ended.
func (f *Fleet) open(c *made) *made {
	f.Open++
	f.MostOpen = max(f.MostOpen, f.Open)
	return c
}

func (f *Fleet) close(c *made) {
	if !c.background {
		f.Open--
	}
}

// Revoke makes the service refuse every token granted so far.
func (f *Fleet) Revoke() { f.revoked = f.granted }

// RefuseAll makes the service refuse every token, including new ones, or stops that.
func (f *Fleet) RefuseAll(refuses bool) { f.refuses = refuses }

// Forget empties the store.
func (f *Fleet) Forget() { clear(f.store) }

// KillHolder ends the instance that took the lock last, wherever it is, and starts another.
func (f *Fleet) KillHolder() {
	if n := slices.Index(f.members, f.holder); n >= 0 {
		f.Replace(n)
	}
}

func (f *Fleet) between(least, most float64) float64 {
	return least + f.random.Float64()*(most-least)
}

// takes draws how long something takes, which is abandoned after a timeout.
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

// grant returns a new token. Its text contains its number and when it expires.
func (f *Fleet) grant() string {
	if f.OneActive {
		f.Revoke()
	}
	f.granted++
	return fmt.Sprintf("token-%08d-%.0f", f.granted, (f.time+f.Lifetime)*1000)
}

// accepts reports whether the service accepts a token.
func (f *Fleet) accepts(text string) bool { return f.acceptsFor(text, 0) }

func (f *Fleet) acceptsFor(text string, seconds float64) bool {
	number, expires := readToken(text)
	return !f.refuses && number > f.revoked && f.time+seconds < expires
}

// expired reports whether a token expired more than two seconds ago, since clocks differ.
func (f *Fleet) expired(text string) bool {
	_, expires := readToken(text)
	return f.time > expires+2
}

// readToken parses the text of a token.
func readToken(text string) (number int, expires float64) {
	first, last, _ := strings.Cut(strings.TrimPrefix(text, "token-"), "-")
	number, _ = strconv.Atoi(first)
	milliseconds, _ := strconv.ParseInt(last, 10, 64)
	return number, float64(milliseconds) / 1000
}

func (f *Fleet) at(at float64, run func()) {
	f.turn++
	f.queue.push(event{at: at, turn: f.turn, run: run})
}

// After schedules an event so many seconds from now.
func (f *Fleet) After(seconds float64, event func()) { f.at(f.time+seconds, event) }

func (f *Fleet) next(m *member, at float64) {
	f.turn++
	f.queue.push(event{at: at, turn: f.turn, next: m})
}
