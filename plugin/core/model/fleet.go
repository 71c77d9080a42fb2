// Package model finds errors of the core between calls. It has a discrete-event
// simulation of a fleet of instances with a store, a token endpoint and a service (Fleet),
// and compares random sequences of actions, with valid and invalid results, with a model of
// the contract (Run). Each run is determined by its seed, to the last event.
package model

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Fleet is a number of instances and their surroundings. Times are seconds since the start.
type Fleet struct {
	Instances int
	Seed      uint64
	// Every is the mean time between two calls of one instance, whose clock is up to Skew seconds wrong.
	Every, Skew float64
	// NoStore makes every instance request its own tokens.
	NoStore bool
	// Endpoint, Store and Service are the latencies of those, in seconds.
	Endpoint, Store, Service float64
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
	inFlight   int     // token requests
	quietUntil float64 // when the token endpoint's Retry-After ends
	input      []byte  // of the call that begins
}

// Response is a response of the token endpoint.
type Response struct {
	Status     int // 0 for a token
	RetryAfter int
	Hangs      bool // until the driver's timeout
}

// Counts are the results of a run.
type Counts struct {
	TokenRequests, StoreOperations int
	// MostInFlight is the largest number of token requests at the same time.
	MostInFlight int
	// Errors is the number of calls that failed, LastError the time of the last.
	Errors    int
	LastError float64
	// Needless is the number of calls that failed though their instance had a valid token.
	Needless int
	// Dead is the number of requests with a token for which their instance had got a 401
	// before, Expired that of requests with an expired one.
	Dead, Expired int
	// Early is the number of token requests before the end of a Retry-After that the instance,
	// or the fleet with a store, had got.
	Early int
	// Waited is the longest time that a call waited although its instance had a token that was
	// valid for longer than a third of the margin.
	Waited float64
}

// event is something that happens at a time.
type event struct {
	at   float64
	turn uint64 // of events at the same time, the one that was scheduled first comes first
	run  func()
}

// queue is a heap of events, for container/heap.
type queue []event

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q queue) Less(a, b int) bool {
	return q[a].at < q[b].at || q[a].at == q[b].at && q[a].turn < q[b].turn
}
func (q *queue) Push(e any) { *q = append(*q, e.(event)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
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
		f.start(n)
	}
	for len(f.queue) > 0 && f.queue[0].at <= end {
		e := heap.Pop(&f.queue).(event)
		f.time = e.at
		e.run()
	}
}

// start starts an instance.
func (f *Fleet) start(n int) {
	m := &member{fleet: f, host: newHost(f.config), skew: int64(f.between(-f.Skew, f.Skew))}
	f.members[n] = m
	f.at(f.time, m.live)
}

// Revoke makes the service refuse every token granted so far.
func (f *Fleet) Revoke() { f.revoked = f.granted }

// KillHolder ends the instance that took the lock last, wherever it is, and starts another.
func (f *Fleet) KillHolder() {
	if n := slices.Index(f.members, f.holder); n >= 0 {
		f.holder.dead = true
		f.start(n)
	}
}

func (f *Fleet) between(least, most float64) float64 {
	return least + f.random.Float64()*(most-least)
}

// takes draws how long something takes, which is abandoned after a timeout.
func (f *Fleet) takes(latency, timeout float64) (seconds float64, ok bool) {
	seconds = f.between(.8*latency, 1.5*latency)
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
	return number > f.revoked && f.time+seconds < expires
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

// at schedules an event at a time, after so many seconds from now.
func (f *Fleet) at(at float64, run func()) {
	f.turn++
	heap.Push(&f.queue, event{at, f.turn, run})
}

func (f *Fleet) after(seconds float64, run func()) { f.at(f.time+seconds, run) }
