//go:build !tinygo

package simulation

import (
	"strconv"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/internal/call"
)

// member is an instance of a fleet, and the driver of its calls.
type member struct {
	*host
	fleet   *Fleet
	skew    int64
	dead    bool
	waiting []*made // for another call of this instance
	refused string  // the token that it met a 401 with last

	// warm is the step that a call begins with while a token is cached, and its token: it
	// is read once.
	warm      []byte
	warmToken string
	warmLast  bool
}

// Time-outs of a driver, in seconds: those of the contract, and one for the service.
const (
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
	f.Calls++
	f.Open++
	f.MostOpen = max(f.MostOpen, f.Open)
	step := m.begin("list_jobs", `,"renew"`)
	if step.Kind == call.GiveHeld && len(m.warm) > 0 && len(m.Held) > 0 && &m.Held[0] == &m.warm[0] && m.warmLast && f.accepts(m.warmToken) {
		f.Open-- // a 2xx that need not be handed in: nothing else happens
	} else {
		(&made{member: m, began: f.time, valid: m.valid(0), lasting: m.valid(unhurried)}).take(step)
	}
	f.next(m, f.time+f.random.ExpFloat64()*f.Every)
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

// renew renews the token beside the calls.
func (m *member) renew() {
	if !m.dead {
		(&made{member: m, beside: true}).take(m.begin("get_token", ""))
	}
}

// valid reports whether the service accepts the token that the instance has, for so many
// seconds more.
func (m *member) valid(seconds float64) bool {
	return m.fleet.acceptsFor(gjson.GetBytes(m.Vars["ar-token"], "access_token").Str, seconds)
}

// unhurried is how long a token must be valid for its renewal to wait for no call: a third of
// the margin, and what clocks differ by.
const unhurried = 25

// made is a call under way.
type made struct {
	*member
	began    float64
	beside   bool // a renewal that no call waits for
	valid    bool // the instance had a valid token when it began
	lasting  bool // which is valid for longer than a call may have to renew it
	ready    bool
	section  bool // its last step was one of obtaining a token
	requests int  // for a token
	looks    int  // waits that ended so far
	flow     string
}

// take does what a step wants, as a driver does.
func (m *made) take(step *call.Step) {
	f := m.fleet
	if m.dead {
		return
	}
	o := read(m.host, step)
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
		m.failed(&o)
	case o.step == "done" && m.beside:
	case o.step == "done":
		f.Open--
	case o.step == "wait" && o.purpose == "call":
		m.waiting = append(m.waiting, m)
		look := m.looks
		f.after(o.seconds, func() { m.awake(look) })
	case o.step == "wait":
		f.after(o.seconds*f.between(1, 1.5), func() { m.resume("") })
	case o.step == "store":
		m.useStore(&o)
	case o.purpose == "token":
		m.requestToken()
	default:
		if step.Kind == call.GiveHeld {
			m.warm, m.warmToken, m.warmLast = m.Held, o.token, o.last
		}
		m.requestJobs(&o)
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
	if m.beside {
		return
	}
	f.Open--
	f.Errors++
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

// resume hands in the result of a step, as the members of resume's input.
func (m *made) resume(result string) {
	if m.dead {
		return
	}
	input := make([]byte, 0, len(m.flow)+len(result)+40)
	input = append(append(append(input, `{"flow":`...), m.flow...), result...)
	input = append(strconv.AppendInt(append(input, `,"now":`...), m.now(), 10), '}')
	m.take(call.Resume(m.member, input))
}
