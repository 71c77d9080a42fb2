// Package model finds errors of the core between calls: it compares the core with a model of
// the contract in random sequences (Run), and simulates fleets in virtual time (Fleet). Each
// run is determined by its seed.
package model

import "slices"

// The times of the contract, in seconds.
const (
	margin     = 60
	day        = 86400
	settling   = 5  // before a renewed token is used
	young      = 10 // a refused fresh token that is younger may not work yet
	clockSlack = 60
	longest    = 30 // backoff
	hour       = 3600
)

// facts are what an instance knows.
type facts struct {
	token    token
	before   token    // the token before it
	refused  []string // the last four
	backoff  backoff
	lookedAt int64 // when a flow last read the store within a backoff
	cleared  int   // how often clear_token was called
}

type token struct {
	text                                  string
	expires, lifetime, requested, arrived int64
	fresh                                 bool
}

func (t *token) renewal() int64 { return t.expires - min(margin, t.lifetime/2) }

// failure is a failed token request, or a refused new token.
type failure struct {
	code   string
	status int64
}

func (f failure) refusal() bool { return f.code == "service_unauthorized" }

type backoff struct {
	failure
	since, wait int64
	count       int
}

// left returns the seconds until the next token request.
func (b *backoff) left(now int64) int64 {
	if now < b.since { // the clock was set back
		b.since = now
	}
	return max(0, b.since+b.wait-now)
}

// next returns the backoff after another failure.
func (b *backoff) next(f failure, now int64) backoff {
	count := b.count + 1
	if b.code != "" && b.refusal() != f.refusal() || f.refusal() && now > b.since+b.wait+60 {
		count = 1
	}
	n := count
	if f.refusal() {
		n--
	}
	next := backoff{failure: f, since: now, count: count}
	if n > 0 {
		next.wait = min(longest, int64(1)<<min(n-1, 10))
	}
	return next
}

// lock is a value of the lock.
type lock struct {
	state string // requesting, done or failed; or unreadable, or empty if it is gone
	failure
	until, wait int64
	count       int
}

// step is what the plugin returns, as far as the model compares it.
type step struct {
	kind           string // request, get, add, set, wait, done or error
	key            string // token or lock
	text           string // of the token that is written
	expires        int64  // of that token
	lock           lock   // that is written
	ttl            int64
	wait           string // seconds
	token          string // that calls use
	tokenExpires   int64
	until          int64
	code, errorKey string
	retryable      bool
	status, retry  int64
}

// final are the codes of errors that stay.
var final = []string{"invalid_input", "clock_unusable", "token_endpoint_rejected", "token_mismatch"}

// result is the result of a step.
type result struct {
	failed     bool
	status     int64 // of the token endpoint
	retryAfter int64
	token      string // that it issued, or in the store
	expiresIn  int64
	expires    int64 // in the store
	added      bool
	lock       lock
}

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
	if f.cleared != i.cleared { // it begins anew
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

// found takes the token from the store.
func (m *machine) found(r result) {
	fresh := m.fresh
	m.fresh = false
	refused := r.token == m.progress.refused || slices.Contains(m.facts.refused, r.token)
	expires := min(r.expires, m.now+day)
	if r.failed || r.token == "" || r.expires <= m.now || refused && !fresh || m.usable(&m.facts.token) && m.facts.token.expires >= r.expires {
		return
	}
	m.pardon(r.token)
	m.keep(token{r.token, expires, expires - m.now, m.now, m.now, fresh})
	m.endBackoff()
}

// waits returns the next wait for the lock, and the sum of those before it, in milliseconds.
func waits(n int) (wait, sum int) {
	wait = 50
	for range n {
		sum += wait
		wait = min(2*wait, 1000)
	}
	return wait, sum
}

// read takes the value of the lock, and returns the step that waits for it.
func (m *machine) read(r result) (step, bool) {
	wait, sum := waits(m.waits)
	switch l := &r.lock; {
	case r.failed:
	case l.state == "failed" && l.until < m.now-600:
		m.store = false // it does not expire its keys
	case l.state == "failed" && l.code == "token_endpoint_rejected" && m.backoff.code != l.code:
		m.locked = true
	case l.state == "failed":
		m.adopt(l)
	case sum >= 30000:
		m.store = false
	case (l.state == "" || l.state == "done") && !m.again:
		m.fresh = l.state == "done" && (m.seen || sum >= 1000)
		m.again, m.looked, m.held = true, false, false
	default:
		m.seen = m.seen || l.state == "requesting"
		m.waits, m.again = m.waits+1, false
		return m.at("awaiting lock", step{kind: "wait", wait: seconds(wait)}), true
	}
	return step{}, false
}

// adopt adopts the backoff of another instance, unless its own ends later.
func (m *machine) adopt(l *lock) {
	left := max(1, min(l.until-m.now, l.wait), m.backoff.left(m.now))
	count := l.count
	if m.backoff.code != "" && m.backoff.refusal() == l.refusal() {
		count = max(count, m.backoff.count)
	}
	m.backoff = backoff{l.failure, m.now, left, count}
	if l.refusal() { // the token stays, for other calls
		m.facts.refused = without(m.facts.refused, m.facts.token.text)
	}
}

// set sets the token.
func (i *facts) set(text string, expires, now int64) step {
	m := machine{i, &progress{force: true}, now}
	expires = min(expires, now+day)
	if expires <= now {
		return step{kind: "error", code: "token_mismatch"}
	}
	m.pardon(text)
	if t := &i.token; t.text == text {
		t.expires, t.requested = expires, min(t.requested, now) // the clock may have been set back
	} else {
		m.keep(token{text: text, expires: expires, lifetime: expires - now, requested: now, arrived: now})
	}
	return step{kind: "nothing"}
}

func (i *facts) clear() { *i = facts{cleared: i.cleared + 1} }
