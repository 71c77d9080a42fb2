package model

import (
	"fmt"
	"strings"

	"automatic-rostering.example/rostering/internal/memory"
	"automatic-rostering.example/rostering/plugin/core/direct"
	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/message"

	"github.com/tidwall/gjson"
)

// peer is an instance of a fleet, with a library's holder of its token.
type peer struct {
	*memory.Host
	fleet    *Fleet
	number   int
	skew     float64
	dead     bool
	kept     keptToken
	flow     *run
	refused  string // the next flow begins with it
	used     bool
	worked   string // the last token with which a call succeeded
	waiting  []*process
	refusals map[string]bool // tokens with a 401, by this instance
	quiet    float64         // when a Retry-After ends that it got
}

type keptToken struct {
	text  string
	until int64
}

// run is a flow that is carried out for all calls that wait.
type run struct {
	refused string // that it began with
	token   string // of its last step that had one
	offers  int    // how many steps had one
	err     string
	ended   bool
}

func (m *peer) clock() int64 { return start + int64(m.fleet.now+m.skew) }

// token returns a token for a call; mine is the token of this call that was refused.
func (m *peer) token(p *process, mine string) (text, err string) {
	began, had := m.fleet.now, m.kept.text != "" && mine == ""
	defer func() {
		waited := m.fleet.now - began
		m.fleet.Waited = max(m.fleet.Waited, waited)
		if had {
			m.fleet.Delayed = max(m.fleet.Delayed, waited)
		}
	}()
	for {
		if m.kept.text != "" && m.clock() < m.kept.until {
			return m.kept.text, ""
		}
		if g := m.fleet.grants[m.kept.text]; g == nil || m.fleet.now >= g.expires-2 {
			had = false
		}
		r := m.flow
		if r == nil {
			r = &run{refused: m.refused}
			m.flow = r
			used := m.used
			m.refused, m.used = "", false
			m.fleet.spawn(m, m.fleet.now, func(p *process) { m.run(p, r, used) })
		}
		seen := r.offers
		for r.offers == seen && !r.ended {
			m.waiting = append(m.waiting, p)
			p.pause()
		}
		switch {
		case r.offers != seen:
			return r.token, ""
		case r.err != "" && (r.refused == "" || r.refused == mine):
			return "", r.err
		}
	}
}

// run carries out a flow.
func (m *peer) run(p *process, r *run, used bool) {
	in := fmt.Sprintf(`{"now":%d,"accepts":["wait"]`, m.clock())
	if !m.fleet.NoStore {
		in = fmt.Sprintf(`{"now":%d,"accepts":["store","wait"]`, m.clock())
	}
	if r.refused != "" {
		in += `,"refused":` + quote(r.refused) + fmt.Sprintf(`,"used":%v`, used && !m.fleet.NoUsed)
	}
	result := flow.Begin(m, []byte(in+"}"))
	for {
		s, f, stored := readStep(result)
		if s.token != "" && s.token != m.refused {
			m.kept, r.token = keptToken{s.token, s.until}, s.token
			r.offers++
			m.wake()
		}
		if s.kind == "done" || s.kind == "error" {
			if s.kind == "error" {
				r.err = s.code
			}
			r.ended, m.flow = true, nil
			m.wake()
			return
		}
		given := m.carryOut(p, &s, gjson.GetBytes(result.Text, "key").Str, stored)
		result = flow.Resume(m, fmt.Appendf(nil, `{"flow":%s%s,"now":%d}`, f, given, m.clock()))
	}
}

func (m *peer) wake() {
	for _, p := range m.waiting {
		m.fleet.at(event{at: m.fleet.now, process: p})
	}
	m.waiting = nil
}

// carryOut carries out a step, and returns its result.
func (m *peer) carryOut(p *process, s *step, key, value string) (result string) {
	f := m.fleet
	if s.kind == "request" {
		return m.requestToken(p)
	}
	if s.kind == "wait" {
		p.sleep(s.wait * f.between(1, 1.5))
		return ""
	}
	f.StoreOperations++
	ok := p.takes(f.Store, 1)
	if !ok || f.StoreDown != nil && f.StoreDown(f) {
		return `,"failed":"the store"`
	}
	e := f.store[key]
	if e.until <= f.now && !f.StoreKeeps {
		e = stored{}
	}
	switch s.kind {
	case "get":
		if e.value == "" {
			return `,"value":null`
		}
		return `,"value":` + quote(e.value)
	case "add":
		if e.value != "" {
			return `,"added":false`
		}
		f.holder, result = m, `,"added":true`
	}
	if s.kind == "add" || f.StoreLoses == nil || !f.StoreLoses(s.key) {
		f.store[key] = stored{value, f.now + float64(s.ttl)}
	}
	return result
}

// requestToken sends a token request.
func (m *peer) requestToken(p *process) (result string) {
	f := m.fleet
	r := m.response()
	f.flying++
	f.MostInFlight = max(f.MostInFlight, f.flying)
	if r.Hangs {
		p.sleep(20)
	} else {
		p.takes(f.Endpoint, 20)
	}
	f.flying--
	switch {
	case r.Hangs:
		return `,"failed":"timed out"`
	case r.RetryAfter != 0:
		m.quiet = f.now + float64(r.RetryAfter) - 1 // clocks show whole seconds
		f.quiet = m.quiet - 2
		return fmt.Sprintf(`,"status":%d,"headers":{"Retry-After":"%d"}`, r.Status, r.RetryAfter)
	case r.Status != 0:
		return fmt.Sprintf(`,"status":%d`, r.Status)
	}
	return `,"status":200,"body":` + quote(m.granted())
}

// response counts a token request, and returns the response to it.
func (m *peer) response() (r Response) {
	f := m.fleet
	if f.now < m.quiet || !f.NoStore && f.StoreDown == nil && f.now < f.quiet {
		f.Early++
	}
	f.TokenRequests++
	f.Requests = append(f.Requests, f.now)
	if f.Responds != nil {
		r = f.Responds(m.number, f.now)
	}
	return r
}

// granted returns the body that grants a token.
func (m *peer) granted() string {
	g := m.fleet.grant()
	delete(m.refusals, g.text)
	return fmt.Sprintf(`{"access_token":%s,"token_type":"Bearer","expires_in":%d}`, quote(g.text), int64(g.expires-m.fleet.now))
}

// direct makes a direct call, which takes no time.
func (m *peer) direct(c *Call) {
	f := m.fleet
	refuses := f.Refuses != nil && f.Refuses(f, c)
	m.Clock = m.clock()
	m.Respond = func(request, body string) *message.Response {
		if strings.HasPrefix(body, "grant_type") {
			if r := m.response(); r.Status != 0 {
				return response(r.Status, "")
			}
			return response(200, m.granted())
		}
		_, text, _ := strings.Cut(request, "Bearer ")
		text, _, _ = strings.Cut(text, `"`)
		if refuses || !f.accepts(f.grants[text]) {
			return response(401, "")
		}
		return response(200, "")
	}
	export, path := input.ListJobs, ""
	if refuses {
		export, path = input.SendRequest, `{"path":"/denied"}`
	}
	if r := direct.Call(m, export, []byte(path)); r.Kind == host.Error {
		f.failed(c)
	}
}

// call makes a call of the service.
func (m *peer) call(p *process) {
	f := m.fleet
	c := &Call{At: f.now, Instance: m.number, Customer: f.IntN(100)}
	f.Calls++
	if f.Direct {
		m.direct(c)
		return
	}
	mine := ""
	for n := range 3 {
		t, err := m.token(p, mine)
		if err != "" {
			break
		}
		g := f.grants[t]
		if m.refusals[t] {
			f.Dead++
		}
		if f.now > g.expires+2 {
			f.Expired++
		}
		p.takes(f.Service, 60)
		if f.accepts(g) && (f.Refuses == nil || !f.Refuses(f, c)) {
			m.worked = t
			return
		}
		m.refusals[t] = g.revoked
		m.refuse(t, t == m.worked && n == 0)
		mine = t
	}
	f.failed(c)
}

// refuse drops a token. The next flow begins with it, unless one runs that did.
func (m *peer) refuse(t string, used bool) {
	if m.kept.text == t {
		m.kept = keptToken{}
	}
	if m.kept.text == "" && (m.flow == nil || m.flow.refused != t) {
		m.refused, m.used = t, used
	}
}
