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
	force, used    bool
	refused        string
	looked, fresh  bool // in the store, since the lock was free; what it finds there is fresh
	held, locked   bool // the lock, by another instance or by this flow
	asked          bool // it made its token request
	failed         failure
	seen, again    bool // the lock as requesting; it was free since the last wait
	waits          int
}

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
		f = progress{client: f.client, cleared: i.cleared, accepts: f.accepts, store: f.accepts, force: f.force, refused: f.refused, locked: locked}
		return m.choose(), f
	}
	if r.failed && f.state != "requesting" {
		f.store, f.locked = false, false
	}
	switch f.state {
	case "reading token":
		m.found(r)
	case "taking lock":
		f.held, f.locked = !r.failed && !r.added, r.added
	case "reading lock":
		if s, waits := m.read(r); waits {
			return s, f
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
	left := m.backoff.left(m.now)
	has := m.offered() != nil && (!m.force || m.asked && m.failed.code == "")
	due := !m.usable(&m.facts.token) || m.now >= m.facts.token.renewal()
	switch {
	case has && (!due || m.asked || left > 0 || m.held):
		return m.end(step{kind: "done"})
	case m.asked && m.failed.code != "":
		return m.end(m.err(m.failed))
	case m.asked:
		return m.end(m.err(failure{code: "token_response_invalid"}))
	case left > 0 && m.store && !m.force && !m.locked && !m.looked && (m.lookedAt < m.now || m.lookedAt > m.now+clockSlack):
		m.lookedAt, m.looked = m.now, true
		return m.at("reading token", step{kind: "get", key: "token"})
	case left > 0:
		return m.end(m.err(m.backoff.failure))
	case !m.store || m.locked:
	case !m.looked && !m.force:
		m.looked = true
		return m.at("reading token", step{kind: "get", key: "token"})
	case !m.held:
		return m.at("taking lock", step{kind: "add", key: "lock", lock: lock{state: "requesting"}, ttl: 10})
	case !m.force:
		return m.at("reading lock", step{kind: "get", key: "lock"})
	}
	return m.at("requesting", step{kind: "request"})
}

// end ends the flow, after it has shown the end in the lock that it holds.
func (m *machine) end(s step) step {
	if m.locked {
		written := step{kind: "set", key: "lock", lock: lock{state: "done"}, ttl: 1}
		if left := m.backoff.left(m.now); left > 0 {
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
	return step{kind: "error", code: f.code, status: f.status, retry: m.backoff.left(m.now)}
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
		s.until = m.facts.token.arrived + settling
	case m.now < t.renewal():
		s.until = t.renewal()
	case s.kind == "done":
		s.until = m.now + max(1, m.backoff.left(m.now))
	default:
		s.until = m.now + 30
	}
	s.until = min(s.until, t.expires)
}

// offered returns the usable token: for some seconds after a renewal, the one before.
func (m *machine) offered() *token {
	switch {
	case m.now < m.facts.token.arrived+settling && m.usable(&m.before):
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
	text, t := m.progress.refused, &m.facts.token
	if m.backoff.left(m.now) > 0 {
		return
	}
	if text == t.text && t.fresh && m.now < t.arrived+young && !m.used && !slices.Contains(m.facts.refused, text) {
		m.backOff(failure{"service_unauthorized", 401}, 0)
		if m.backoff.wait > 0 {
			m.asked, m.failed, m.locked = true, m.backoff.failure, m.store // to show the fleet
			return
		}
	}
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
	if left := m.backoff.left(m.now); left > 0 {
		m.backoff.since, m.backoff.wait = m.now, max(left, retryAfter)
		return
	}
	m.backoff = m.backoff.next(f, m.now)
	if t := &m.facts.token; m.alive(t) {
		m.backoff.wait = min(m.backoff.wait, t.expires-m.now)
	}
	if retryAfter > 0 {
		m.backoff.wait = retryAfter
	}
}

// responded takes the response of the token endpoint, and returns the step that writes its
// token to the store.
func (m *machine) responded(r result) (step, bool) {
	if r.token == "" {
		m.failed = failure{r.code(), r.status}
		m.backOff(m.failed, r.retryAfter)
		return step{}, false
	}
	m.pardon(r.token)
	requested, lifetime := min(m.progress.now, m.now), min(r.expiresIn, day)
	t := token{r.token, max(requested+lifetime, m.now+1), lifetime, requested, m.now, true}
	if old := &m.facts.token; m.force || old.text == t.text || !m.usable(old) || old.expires <= t.expires {
		m.keep(t)
	}
	m.endBackoff()
	if !m.store {
		return step{}, false
	}
	t = m.facts.token
	return m.at("writing token", step{kind: "set", key: "token", text: t.text, expires: t.expires, ttl: max(1, t.expires-m.now)}), true
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

// keep makes a token that was requested or found the instance's.
func (m *machine) keep(t token) {
	old := m.facts.token
	m.before = token{}
	if !m.force && m.alive(&old) && old.text != t.text {
		m.before = old
	}
	m.facts.token = t
}

// endBackoff ends the backoff of failed token requests. Refused tokens still count.
func (m *machine) endBackoff() {
	if !m.backoff.refusal() {
		m.backoff = backoff{}
	}
}
