//go:build !tinygo

package model

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/core/call"
)

// member is an instance of a fleet, and the driver of its calls.
type member struct {
	*host
	fleet *Fleet
	skew  int64
	dead  bool
	// upgraded says that it is of the next version: see Upgrade.
	upgraded   bool
	frozen     float64 // until then it does nothing
	waiting    []*made // for another call of this instance
	refused    string  // the last token for which it got a 401
	under      int     // token requests under way
	quietUntil float64 // when the token endpoint's Retry-After ends

	// kept is the first step of a call while a token is cached, as a driver may keep it.
	kept   output
	latest int64 // the time of its last call
}

// Timeouts of a driver, in seconds: those of the contract, and one for the service.
const (
	tokenTimeout   = 20
	storeTimeout   = 1
	serviceTimeout = 30
)

// punctual reports whether the clock is right to a second.
func (m *member) punctual() bool { return m.skew*m.skew <= 1 }

func (m *member) now() int64 { return start + int64(m.fleet.time) + m.skew }

// live makes a call, and the next one later.
func (m *member) live() {
	f := m.fleet
	if m.dead || f.thaws(m, m.live) {
		return
	}
	f.next(m, f.time+f.random.ExpFloat64()*f.Every)
	f.Calls++
	now, latest := m.now(), m.latest
	if m.latest = now; now >= latest && now < m.kept.until {
		if f.accepts(m.kept.token) {
			return // with a 2xx, which need not be passed
		}
		f.open(&made{member: m, began: f.time}).follow(&m.kept)
		return
	}
	c := f.open(&made{member: m, began: f.time, valid: m.valid(0), lasting: m.punctual() && m.valid(unhurried)})
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
	if m.dead || m.fleet.thaws(m, m.renew) {
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
		f.After(0, m.renew)
	}
	switch {
	case o.failed:
		m.failed(o)
	case o.step == "done":
		f.close(m)
	case o.step == "wait" && o.purpose == "call":
		m.waiting = append(m.waiting, m)
		look := m.looks
		f.After(o.seconds, func() { m.awake(look) })
	case o.step == "wait":
		f.After(o.seconds*f.between(1, 1.5), func() { m.resume("") })
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
		m.fleet.After(0, func() { w.awake(look) })
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
	if f.close(m); m.background {
		return
	}
	f.Errors++
	if f.Codes == nil {
		f.Codes = map[string]int{}
	}
	f.Codes[strings.TrimPrefix(o.words, "error ")]++
	f.LastError = f.time
	if !o.retryable {
		f.NotRetryable++
	}
	if m.valid && o.code != "network_error" {
		f.Needless++
	}
	m.isReady()
}

func (m *made) isReady() {
	if m.ready {
		return
	}
	m.ready = true
	took := m.fleet.time - m.began
	if m.fleet.Slowest = max(m.fleet.Slowest, took); m.lasting {
		m.fleet.SlowestValid = max(m.fleet.SlowestValid, took)
	}
}

// resume passes the result of a step, as members of resume's input.
func (m *made) resume(result string) {
	if m.dead || m.fleet.thaws(m.member, func() { m.resume(result) }) {
		return
	}
	input := make([]byte, 0, len(m.flow)+len(result)+40)
	input = append(append(append(input, `{"flow":`...), m.flow...), result...)
	input = append(strconv.AppendInt(append(input, `,"now":`...), m.now(), 10), '}')
	m.kept = output{}
	o := read(m.host, call.Resume(m.member, input))
	m.follow(&o)
}
