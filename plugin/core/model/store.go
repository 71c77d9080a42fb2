package model

import "slices"

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
