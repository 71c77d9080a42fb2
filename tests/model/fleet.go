package model

import (
	"container/heap"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"automatic-rostering.example/rostering/internal/memory"
)

// Fleet is a number of instances, each with a library's holder of a token and loop that sends,
// and their surroundings. Times are seconds since the start.
type Fleet struct {
	Instances int
	Seed      uint64
	// Every is the mean time between two calls of one instance, whose clock is up to Skew
	// seconds wrong. Instance 0 calls each First seconds, if that is not 0, and is Ahead.
	Every, Skew, First, Ahead float64
	// NoStore makes every instance request its own tokens. Direct calls do, too, and take no time.
	NoStore, Direct bool
	// NoUsed says that hosts do not know whether a token worked.
	NoUsed bool
	// Latencies, and the lifetime of a token.
	Endpoint, Store, Service, Lifetime float64
	// OneActive says that a new token revokes those before it, Repeats that the token endpoint
	// issues the same one until it expires.
	OneActive, Repeats bool
	// Responds returns the response of the token endpoint to an instance; nil always grants a
	// token.
	Responds func(instance int, at float64) Response
	// Refuses reports whether the service refuses a call, whatever its token. Lag is how long it
	// refuses a new token, from LagFrom on, or, if a request gets to any of some nodes, Nodes.
	Refuses      func(f *Fleet, c *Call) bool
	Lag, LagFrom float64
	Nodes        []float64
	// Configure changes the config of an instance.
	Configure func(instance int, config map[string]string)
	// Grace is how long a token must have been there before a call that fails needlessly.
	Grace float64
	// StoreDown reports whether the store fails, and StoreLoses whether it loses what is set; nil
	// means that they never do. StoreKeeps says that it expires nothing.
	StoreDown  func(f *Fleet) bool
	StoreLoses func(key string) bool
	StoreKeeps bool
	// At has events by their time.
	At map[float64]func(*Fleet)
	// Judged says which calls count as Errors and for Needless; nil means all.
	Judged func(c *Call) bool

	Counts

	*rand.Rand
	now     float64
	queue   queue
	turn    uint64
	peers   []*peer
	store   map[string]stored
	grants  map[string]*grant
	granted []*grant
	holder  *peer   // that took the lock last
	flying  int     // token requests
	quiet   float64 // when the token endpoint's Retry-After ends
}

// Response is a response of the token endpoint.
type Response struct {
	Status     int // 0 for a token
	RetryAfter int64
	Hangs      bool // until the timeout of the step
}

// Call is a call of the service.
type Call struct {
	At       float64
	Instance int
	Customer int // 0 to 99
}

// Counts are the results of a run.
type Counts struct {
	Calls, TokenRequests, StoreOperations int
	// Requests are the times of the token requests.
	Requests []float64
	// MostInFlight is the largest number of token requests at the same time.
	MostInFlight int
	// Errors is the number of calls that failed, LastError the time of the last, Failing the
	// longest time that any failing call took.
	Errors    int
	LastError float64
	Failing   float64
	// Needless is the number of those that the service would have served with a good token.
	Needless int
	// Dead is the number of requests with a token for which their instance had got a 401
	// before, unless it was issued again; Expired that of requests with an expired one.
	Dead, Expired int
	// Early is the number of token requests within a Retry-After that the instance, or the
	// fleet with a store, had got.
	Early int
	// Waited is the longest time that a call waited for a token, Delayed the longest although
	// its instance had one.
	Waited, Delayed float64
}

type grant struct {
	text            string
	issued, expires float64
	revoked         bool
}

type stored struct {
	value string
	until float64
}

// process is straight-line code in virtual time.
type process struct {
	fleet *Fleet
	of    *peer
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	end   func()
}

// event wakes a process, or runs something.
type event struct {
	at      float64
	turn    uint64 // of events at the same time, the one that was scheduled first comes first
	process *process
	run     func(*Fleet)
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

func (f *Fleet) at(e event) {
	f.turn++
	e.turn = f.turn
	heap.Push(&f.queue, e)
}

type ended struct{}

// spawn starts a process of an instance at a time.
func (f *Fleet) spawn(m *peer, at float64, run func(*process)) {
	p := &process{fleet: f, of: m}
	p.next, p.end = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != (ended{}) {
				panic(r)
			}
		}()
		p.yield = yield
		run(p)
	})
	f.at(event{at: at, process: p})
}

// sleep lets a time pass.
func (p *process) sleep(seconds float64) {
	p.fleet.at(event{at: p.fleet.now + seconds, process: p})
	p.pause()
}

// pause waits until another process wakes this one.
func (p *process) pause() {
	if !p.yield(struct{}{}) || p.of.dead {
		panic(ended{})
	}
}

// Run runs the fleet until a time.
func (f *Fleet) Run(end float64) {
	f.Rand = rand.New(rand.NewPCG(f.Seed, 1))
	f.store, f.grants = map[string]stored{}, map[string]*grant{}
	for at, run := range f.At {
		f.at(event{at: at, run: run})
	}
	f.peers = make([]*peer, f.Instances)
	for n := range f.peers {
		f.start(n, end)
	}
	for len(f.queue) > 0 && f.queue[0].at <= end {
		e := heap.Pop(&f.queue).(event)
		f.now = e.at
		if e.run != nil {
			e.run(f)
		} else {
			e.process.next()
		}
	}
	for _, e := range f.queue {
		if e.process != nil {
			e.process.end()
		}
	}
	for _, m := range f.peers {
		for _, p := range m.waiting {
			p.end()
		}
	}
}

// start starts an instance, which makes calls until the end.
func (f *Fleet) start(n int, end float64) {
	settings := config("client")
	if f.Configure != nil {
		f.Configure(n, settings)
	}
	m := &peer{Host: memory.New(settings), fleet: f, number: n, skew: f.skew(n), refusals: map[string]bool{}}
	f.peers[n] = m
	every := f.Every
	if n == 0 && f.First != 0 {
		every = f.First
	}
	f.spawn(m, f.now, func(p *process) {
		for f.now < end {
			f.spawn(m, f.now, m.call)
			p.sleep(f.ExpFloat64() * every)
		}
	})
}

func (f *Fleet) skew(n int) float64 {
	if n == 0 && f.Ahead != 0 {
		return f.Ahead
	}
	return f.between(-f.Skew, f.Skew)
}

// Edit changes the token in the store, as an instance of another version could, or adds one that
// was revoked.
func (f *Fleet) Edit(change func(token string) string) {
	key := cacheKey("client")
	e := f.store[key]
	if e.value == "" {
		f.grant().revoked = true
		e = stored{object(f.last().text, start+int64(f.last().expires), key), f.last().expires}
	}
	e.value = change(e.value)
	f.store[key] = e
}

// Stop ends an instance.
func (f *Fleet) Stop(n int) { f.peers[n].dead = true }

// Revoke makes the service refuse every token granted so far.
func (f *Fleet) Revoke() {
	for _, g := range f.granted {
		g.revoked = true
	}
}

// Restart ends an instance, and starts another in its place.
func (f *Fleet) Restart(n int) {
	f.Stop(n)
	f.start(n, 1e9)
}

// KillHolder ends the instance that took the lock last, and starts another.
func (f *Fleet) KillHolder() {
	if n := slices.Index(f.peers, f.holder); n >= 0 {
		f.Restart(n)
	}
}

func (f *Fleet) between(least, most float64) float64 { return least + f.Float64()*(most-least) }

// takes lets a latency pass, and reports whether it was shorter than a timeout.
func (p *process) takes(latency, timeout float64) bool {
	seconds := p.fleet.between(.8*latency, 1.5*latency)
	p.sleep(min(seconds, timeout))
	return seconds < timeout
}

// grant returns a token.
func (f *Fleet) grant() *grant {
	if g := f.last(); f.Repeats && g != nil && !g.revoked && f.now < g.expires-1 {
		return g
	}
	if f.OneActive {
		f.Revoke()
	}
	g := &grant{text: fmt.Sprintf("token-%08d", len(f.grants)), issued: f.now, expires: f.now + f.Lifetime}
	f.grants[g.text], f.granted = g, append(f.granted, g)
	return g
}

func (f *Fleet) last() *grant {
	if len(f.granted) == 0 {
		return nil
	}
	return f.granted[len(f.granted)-1]
}

// accepts reports whether the service, or one of its nodes, accepts a token.
func (f *Fleet) accepts(g *grant) bool {
	lag := f.Lag
	if len(f.Nodes) > 0 {
		lag = f.Nodes[f.IntN(len(f.Nodes))]
	}
	return !g.revoked && f.now < g.expires && (g.issued < f.LagFrom || f.now >= g.issued+lag)
}

// failed counts a call that failed. It failed needlessly if the service would have accepted
// one of the last tokens, for some seconds: an instance in a backoff looks into the store once
// a second.
func (f *Fleet) failed(c *Call) {
	if f.Judged != nil && !f.Judged(c) {
		return
	}
	f.Errors++
	f.LastError = f.now
	f.Failing = max(f.Failing, f.now-c.At)
	known := func(g *grant) bool { return f.accepts(g) && c.At > g.issued+f.Grace }
	if (f.Refuses == nil || !f.Refuses(f, c)) &&
		slices.ContainsFunc(f.granted[max(0, len(f.granted)-3):], known) {
		f.Needless++
	}
}

// Now is the time of the run.
func (f *Fleet) Now() float64 { return f.now }
