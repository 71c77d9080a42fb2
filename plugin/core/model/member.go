package model

import (
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/core/call"
)

// member is an instance of a fleet, and the driver of its calls.
type member struct {
	*host
	fleet      *Fleet
	skew       int64
	dead       bool
	waiting    []*made // for another call of this instance
	refused    string  // the last token for which it got a 401
	inFlight   int     // token requests
	quietUntil float64 // when the token endpoint's Retry-After ends

	// kept is the first step of a call while a token is cached, as a driver may keep it.
	kept   output
	latest int64 // the time of its last call
}

// Timeouts of a driver, in seconds: those of the contract, and one for the service. A token request may be
// sent so many seconds before the end of Retry-After: clocks are read in whole seconds, and differ.
const (
	tolerance      = 3
	tokenTimeout   = 20
	storeTimeout   = 1
	serviceTimeout = 30
)

func (m *member) now() int64 { return start + int64(m.fleet.time) + m.skew }

// live makes a call, and the next one later.
func (m *member) live() {
	f := m.fleet
	if m.dead {
		return
	}
	f.after(f.random.ExpFloat64()*f.Every, m.live)
	now, latest := m.now(), m.latest
	if m.latest = now; now >= latest && now < m.kept.until {
		if f.accepts(m.kept.token) {
			return // with a 2xx, which need not be passed
		}
		(&made{member: m, began: f.time}).follow(&m.kept)
		return
	}
	c := &made{member: m, began: f.time, valid: m.valid(0), lasting: m.valid(unhurried)}
	o := read(m.host, m.begin("list_jobs", `,"renew"`))
	if m.kept = (output{}); o.until > 0 {
		m.kept = o
	}
	c.follow(&o)
}

// begin begins a call.
func (m *member) begin(name, accepts string) *call.Step {
	f := m.fleet
	input := append(append(append(f.input[:0], `{"call":"`...), name...), `","accepts":["wait"`...)
	if !f.NoStore {
		input = append(input, `,"store"`...)
	}
	input = append(append(input, accepts...), `],"input":{"now":`...)
	input = append(strconv.AppendInt(input, m.now(), 10), '}', '}')
	f.input = input
	return call.Begin(m, input)
}

// renew renews the token in the background.
func (m *member) renew() {
	if m.dead {
		return
	}
	o := read(m.host, m.begin("get_token", ""))
	(&made{member: m, background: true}).follow(&o)
}

// valid reports whether the service accepts the token that the instance has, for so many
// seconds more.
func (m *member) valid(seconds float64) bool {
	return m.fleet.acceptsFor(gjson.GetBytes(m.Vars["ar-token"], "access_token").Str, seconds)
}

// unhurried is how long a token must be valid so that no call renews it itself: a third of the
// margin, the difference of clocks, and how long a token request may take, because its lifetime
// starts before that.
const unhurried = 20 + 2 + tokenTimeout

// made is a call under way.
type made struct {
	*member
	began      float64
	background bool // a renewal that no call waits for
	valid      bool // the instance had a valid token when it began
	lasting    bool // which no call has to renew
	ready      bool
	section    bool // its last step was one of obtaining a token
	requests   int  // for a token
	looks      int  // waits that have ended
	flow       string
}

// follow carries out a step as a driver does.
func (m *made) follow(o *output) {
	f := m.fleet
	if m.flow = o.flow; o.problem != "" {
		panic(o.problem + ": " + o.text)
	}
	obtains := kindOf(o.words) != "service" && o.flow != ""
	if m.section && !obtains {
		m.wake()
	}
	m.section = obtains && o.step != "wait"
	if o.renew {
		f.after(0, m.renew)
	}
	switch {
	case o.failed:
		m.failed(o)
	case o.step == "done":
	case o.step == "wait" && o.purpose == "call":
		m.waiting = append(m.waiting, m)
		look := m.looks
		f.after(o.seconds, func() { m.awake(look) })
	case o.step == "wait":
		f.after(o.seconds*f.between(1, 1.5), func() { m.resume("") })
	case o.step == "store":
		m.useStore(o)
	case o.purpose == "token":
		m.requestToken()
	default:
		m.requestJobs(o)
	}
}

// wake ends the waits for another call of this instance, as one of its sections has ended.
func (m *member) wake() {
	waiting := m.waiting
	m.waiting = nil
	for _, w := range waiting {
		look := w.looks
		m.fleet.after(0, func() { w.awake(look) })
	}
}

// awake continues a call that waited, unless its wait has ended before.
func (m *made) awake(look int) {
	if m.looks != look {
		return
	}
	m.looks++
	for n, w := range m.waiting {
		if w == m {
			m.waiting = append(m.waiting[:n:n], m.waiting[n+1:]...)
			break
		}
	}
	m.resume("")
}

func (m *made) failed(o *output) {
	f := m.fleet
	if m.background {
		return
	}
	f.Errors++
	f.LastError = f.time
	if m.valid && o.code != "network_error" {
		f.Needless++
	}
	m.isReady()
}

// isReady counts how long the call took until its first request to the service, or its error.
func (m *made) isReady() {
	if m.lasting && !m.ready {
		m.fleet.Waited = max(m.fleet.Waited, m.fleet.time-m.began)
	}
	m.ready = true
}

// resume passes the result of a step, as members of resume's input.
func (m *made) resume(result string) {
	if m.dead {
		return
	}
	input := make([]byte, 0, len(m.flow)+len(result)+40)
	input = append(append(append(input, `{"flow":`...), m.flow...), result...)
	input = append(strconv.AppendInt(append(input, `,"now":`...), m.now(), 10), '}')
	m.kept = output{}
	o := read(m.host, call.Resume(m.member, input))
	m.follow(&o)
}

// requestJobs sends the request to the service.
func (m *made) requestJobs(o *output) {
	f := m.fleet
	m.isReady()
	token := o.token // o may be the kept step, which other calls change
	accepted := f.accepts(token)
	if f.expired(token) {
		f.Expired++
	}
	if accepted && o.last { // however long it takes
		return
	}
	seconds, ok := f.takes(f.Service, serviceTimeout)
	if !accepted && m.refused == token {
		f.Dead++
	}
	f.after(seconds, func() {
		switch {
		case !ok:
			m.resume(`,"failed":"timed out"`)
		case accepted:
			m.resume(`,"status":200`)
		default:
			m.refused = token
			m.resume(`,"status":401,"body":""`)
		}
	})
}

func (m *made) requestToken() {
	f := m.fleet
	f.TokenRequests++
	f.inFlight++
	m.inFlight++
	f.MostInFlight = max(f.MostInFlight, f.inFlight)
	m.requests++
	if m.requests > 1 || m.inFlight > 1 {
		panic("a call requested two tokens, or two calls of an instance one each")
	}
	quietUntil := &f.quietUntil
	if f.NoStore {
		quietUntil = &m.quietUntil
	}
	if f.time < *quietUntil-tolerance {
		f.Early++
	}
	response := Response{}
	if f.TokenEndpoint != nil {
		response = f.TokenEndpoint(f.time)
	}
	seconds, ok := f.takes(f.Endpoint, tokenTimeout)
	if response.Hangs {
		seconds, ok = tokenTimeout, false
	}
	f.after(seconds, func() {
		f.inFlight--
		m.inFlight--
		if response.RetryAfter > 0 {
			*quietUntil = max(*quietUntil, f.time+float64(response.RetryAfter))
		}
		switch {
		case !ok:
			m.resume(`,"failed":"timed out"`)
		case response.Status == 0:
			_, raw := grant(f.grant(), int64(f.Lifetime))
			m.resume(raw)
		case response.RetryAfter > 0:
			m.resume(fmt.Sprintf(`,"status":%d,"headers":{"Retry-After":"%d"}`, response.Status, response.RetryAfter))
		default:
			m.resume(fmt.Sprintf(`,"status":%d`, response.Status))
		}
	})
}

func (m *made) useStore(o *output) {
	f := m.fleet
	f.StoreOperations++
	seconds, ok := f.takes(f.Store, storeTimeout)
	// It is done after half of its time: some operations are done whose results come too late.
	result := ""
	f.after(seconds/2, func() { result = m.operate(o) })
	f.after(seconds, func() {
		if !ok {
			result = `,"failed":"timed out"`
		}
		m.resume(result)
	})
}

// operate carries out an operation on the store, and returns its result.
func (m *made) operate(o *output) string {
	f := m.fleet
	if f.StoreDown != nil && f.StoreDown(f.time) {
		return `,"failed":"the store is down"`
	}
	found, there := f.store[o.key]
	there = there && f.time < found.expires
	switch {
	case o.op == "get" && there:
		return `,"value":` + quote(found.value)
	case o.op == "get":
		return `,"value":null`
	case o.op == "add" && there:
		return `,"added":false`
	}
	f.store[o.key] = entry{o.value, f.time + float64(o.ttl)}
	if o.op == "set" {
		return ""
	}
	f.holder = m.member
	return `,"added":true`
}
