// Package model finds errors of the core between calls: it compares the core with a model of
// the contract in random sequences (Run), and simulates fleets in virtual time (Fleet). Each
// run is determined by its seed.
package model

import "slices"

// progress is a flow between two steps.
type progress struct {
	state          string
	client         string
	cleared        int
	now            int64 // of the step
	accepts, store bool  // the host has a store, and it has not failed
	patient        bool  // the host waits in backoffs
	force, used    bool
	refused        string
	found          found
	locked         bool // it has the lock
	asked          bool // it made its token request
	failed         failure
	free           bool // the lock was, since the last wait
	waits, pauses  int
}

// found is what the flow knows from the store since it last began to look there.
type found int

const (
	nothing   found = iota
	looked          // for a token
	held            // the lock, by another instance
	requested       // a token, by that instance
)

// machine is a flow that runs on an instance.
type machine struct {
	*facts
	*progress
	now int64
}

// begin begins a flow.
func (i *facts) begin(f progress, now int64) (step, progress) {
	m := machine{i, &f, now}
	f.cleared, f.store = i.cleared, f.accepts
	if f.refused != "" {
		m.refuse()
	}
	return m.choose(), f
}

// resume resumes a flow with the result of its step.
func (i *facts) resume(f progress, r result, now int64) (step, progress) {
	m := machine{i, &f, now}
	if f.cleared != i.cleared { // it starts over
		locked := f.locked && f.state != "writing lock" || r.added
		f = progress{client: f.client, cleared: i.cleared, accepts: f.accepts, store: f.accepts, patient: f.patient, pauses: f.pauses, force: f.force, refused: f.refused, locked: locked}
		return m.choose(), f
	}
	if r.failed && f.state != "requesting" && f.state != "waiting" {
		f.store, f.locked = false, false
	}
	switch f.state {
	case "reading token":
		m.read(r)
	case "taking lock":
		switch {
		case r.added:
			f.found, f.locked = looked, true
		case !r.failed:
			f.found = held
		}
	case "reading lock":
		m.readLock(r)
	case "waiting":
		if f.found == requested {
			f.found = held
		} else {
			f.asked, f.failed = false, failure{}
			if m.left(now) == 0 {
				f.found = nothing
			}
		}
	case "requesting":
		f.asked = true
		if s, writes := m.responded(r); writes {
			return s, f
		}
	case "writing lock":
		f.locked = false
	}
	return m.choose(), f
}

// choose decides what the flow does next.
func (m *machine) choose() step {
	left := m.left(m.now)
	has := m.offered() != nil && (!m.force || m.asked && m.failed.code == "")
	due := m.offered() == nil || m.now >= m.facts.token.renewal()
	wait, sum := waits(m.waits)
	switch {
	case has && (!due || m.asked || left > 0 || m.found == requested):
		return m.end(step{kind: "done"})
	case m.asked || left > 0:
		switch {
		case m.locked:
			return m.end(step{})
		case m.store && !m.force && m.found != looked && (m.lookedAt < m.now || m.lookedAt > m.now+clockSlack):
			m.lookedAt = m.now
			return m.at("reading token", step{kind: "get", key: "token"})
		case m.patient && (!m.asked || m.failed.code != "") && sum+m.pauses*250+int(left)*1000 <= 5500 && !m.failed.refusal() && m.failed.code != "token_endpoint_rejected" && (left == 0 || !m.backoff.refusals && !m.backoff.rejected()) && (m.force || !m.alive(&m.facts.token)):
			m.found = looked
			m.pauses++
			return m.at("waiting", step{kind: "wait", wait: seconds(250)})
		case m.asked && m.failed.code == "":
			return m.err(failure{code: "token_response_invalid"})
		case m.asked:
			return m.err(m.failed)
		}
		return m.err(m.backoff.failure)
	case !m.store || m.locked:
	case m.found == nothing && !m.force:
		return m.at("reading token", step{kind: "get", key: "token"})
	case m.found <= looked:
		return m.at("taking lock", step{kind: "add", key: "lock", lock: lock{state: "requesting"}, ttl: 10})
	case m.found == held && !m.force:
		return m.at("reading lock", step{kind: "get", key: "lock"})
	case m.found == requested:
		m.waits++
		return m.at("waiting", step{kind: "wait", wait: seconds(wait)})
	}
	return m.at("requesting", step{kind: "request"})
}

// end ends the flow, after it has shown the end in the lock that it holds.
func (m *machine) end(s step) step {
	if m.locked {
		written := step{kind: "set", key: "lock", lock: lock{state: "done"}, ttl: 1}
		if left := m.left(m.now); left > 0 && !m.backoff.refusals {
			written.lock = lock{state: "failed", failure: m.backoff.failure, until: m.now + left, wait: left, count: m.backoff.count}
			written.ttl = max(2, left)
		}
		return m.at("writing lock", written)
	}
	if s.kind == "done" {
		m.offer(&s)
	}
	return s
}

func (m *machine) err(f failure) step {
	return step{kind: "error", code: f.code, status: f.status, retry: m.left(m.now)}
}

// at is a step after which the flow is in a state.
func (m *machine) at(state string, s step) step {
	m.state, m.progress.now = state, m.now
	m.offer(&s)
	return s
}

// offer adds the token that calls use, and until when.
func (m *machine) offer(s *step) {
	t := m.offered()
	if t == nil {
		return
	}
	s.token, s.tokenExpires = t.text, t.expires
	switch {
	case t == &m.before:
		s.until = m.useFrom
	case m.now < t.renewal():
		s.until = t.renewal()
	case s.kind == "done":
		s.until = m.now + max(1, m.left(m.now))
	default:
		s.until = m.now + 30
	}
	s.until = min(s.until, t.expires)
}

// offered returns the usable token: for some seconds after a renewal, the one before.
func (m *machine) offered() *token {
	switch {
	case m.now < m.useFrom && m.usable(&m.before):
		return &m.before
	case m.usable(&m.facts.token):
		return &m.facts.token
	}
	return nil
}

// usable reports whether this flow may use a token, alive whether any other may.
func (m *machine) usable(t *token) bool { return t.text != m.progress.refused && m.alive(t) }

func (m *machine) alive(t *token) bool {
	return t.text != "" && m.now < t.expires && t.requested <= m.now+clockSlack && !slices.Contains(m.facts.refused, t.text)
}

// refuse takes note of the flow's refused token.
func (m *machine) refuse() {
	text, t, before := m.progress.refused, &m.facts.token, &m.before
	switch {
	case text == t.text && m.alive(before):
		m.useFrom = m.now + max(overlap, m.now-t.requested)
		m.overlaps++
		return
	case text == before.text && m.overlaps > 0 && m.now < before.expires-overlap:
		m.remember(t.text)
	case text == before.text:
	case m.left(m.now) > 0:
		return
	case text == t.text && !m.used && m.expects(t) && !slices.Contains(m.facts.refused, text):
		m.backOff(failure{"service_unauthorized", 401}, 0)
		if m.backoff.wait > 0 {
			m.asked, m.failed = true, m.backoff.failure
			return
		}
	}
	m.remember(text)
}

// expects reports whether the service may not know of a token yet.
func (m *machine) expects(t *token) bool {
	patience := int64(young)
	if series := m.backoff.inSeries(m.now); series != 0 {
		patience = max(patience, 3*(t.requested-series))
	}
	return m.now < t.requested+patience
}

// remember notes a refused token; the last four are known.
func (m *machine) remember(text string) {
	m.facts.refused = append(without(m.facts.refused, text), text)
	if len(m.facts.refused) > 4 {
		m.facts.refused = m.facts.refused[1:]
	}
}

// pardon makes a token usable that was refused.
func (m *machine) pardon(text string) {
	m.facts.refused = without(m.facts.refused, text)
	if m.progress.refused == text {
		m.progress.refused = ""
	}
}

func without(texts []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == text })
}

// backOff begins a backoff. Within one, it can only move the end to later.
func (m *machine) backOff(f failure, retryAfter int64) {
	retryAfter = min(retryAfter, hour)
	if left := m.left(m.now); left > 0 {
		m.backoff.since, m.backoff.wait = m.now, max(left, retryAfter)
		m.backoff.forAll = m.backoff.forAll || retryAfter > left
		return
	}
	m.backoff = m.backoff.next(f, m.now)
	m.backoff.secret = m.secret
	if m.backoff.wait > 0 {
		m.backoff.wait = m.beforeExpiry(m.backoff.wait)
	}
	if retryAfter > 0 {
		m.backoff.wait = retryAfter
	}
}

// beforeExpiry returns a wait that ends two seconds before the token in use expires, or then.
func (m *machine) beforeExpiry(wait int64) int64 {
	wait = max(wait, 1)
	if t := &m.facts.token; wait <= longest && m.alive(t) {
		left := t.expires - m.now
		if left > 2 {
			left -= 2
		}
		return min(wait, left)
	}
	return wait
}

// responded takes the response of the token endpoint, and returns the step that writes its
// token to the store.
func (m *machine) responded(r result) (step, bool) {
	if r.token == "" {
		m.failed, m.found = failure{r.code(), r.status}, nothing
		m.backOff(m.failed, r.retryAfter)
		return step{}, false
	}
	m.pardon(r.token)
	at, lifetime := min(m.progress.now, m.now), min(r.expiresIn, day)
	t := token{r.token, max(at+lifetime, m.now+1), lifetime, at}
	m.keep(t)
	m.endBackoff(m.now)
	if !m.store {
		return step{}, false
	}
	return m.at("writing token", step{kind: "set", key: "token", text: t.text, expires: t.expires, ttl: max(1, t.expires-m.now),
		requested: at, series: m.backoff.inSeries(m.now)}), true
}

func (r *result) code() string {
	switch {
	case r.failed:
		return "network_error"
	case r.status == 200:
		return "token_response_invalid"
	case r.status == 408, r.status == 429, r.status >= 500:
		return "token_endpoint_unavailable"
	}
	return "token_endpoint_rejected"
}

// refusedLately reports whether a young token was refused, and none accepted since.
func (m *machine) refusedLately() bool {
	b := &m.backoff
	return b.refusals && b.series != 0 && m.now <= b.since+b.wait+young
}

// keep makes a token that was requested or found the instance's.
func (m *machine) keep(t token) {
	old := m.facts.token
	m.before = token{}
	if !m.force && m.alive(&old) && old.text != t.text && !m.refusedLately() {
		m.before = old
	}
	m.facts.token, m.useFrom, m.overlaps = t, m.now+overlap, 0
}
