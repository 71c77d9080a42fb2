package model

import "slices"

// read takes the token from the store.
func (m *machine) read(r result) {
	m.found = looked
	t := &m.facts.token
	refused := r.token == m.progress.refused || slices.Contains(m.facts.refused, r.token)
	later := r.requested > t.requested && (t.text != "" || r.token != m.progress.refused)
	if r.failed || r.token == "" || r.expires <= m.now || !later && (refused || m.usable(t)) {
		return
	}
	switch own := m.backoff.inSeries(m.now); {
	case r.series == 0 || r.series > m.now:
	case own != 0:
		m.backoff.series = min(own, r.series)
	case t.text == "":
		m.backoff = backoff{refusals: true, since: m.now, count: 1, series: r.series}
	}
	m.pardon(r.token)
	expires, at := min(r.expires, m.now+day), min(r.requested, m.now)
	m.keep(token{r.token, expires, expires - at, at})
	m.endBackoff(m.now)
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

// readLock takes the value of the lock.
func (m *machine) readLock(r result) {
	_, sum := waits(m.waits)
	switch l := &r.lock; {
	case r.failed:
	case l.state == "failed" && l.until < m.now-600:
		m.store = false // it does not expire its keys
	case l.state == "failed":
		m.adopt(l)
	case sum >= 20000:
		m.store = false
	case (l.state == "" || l.state == "done") && !m.free:
		m.free, m.found = true, nothing
	default:
		m.free, m.found = false, requested
	}
}

// adopt adopts the backoff of another instance, unless its own ends later.
func (m *machine) adopt(l *lock) {
	next := backoff{failure: l.failure, since: m.now, count: l.count, series: m.backoff.inSeries(m.now), secret: m.secret}
	next.wait = max(m.beforeExpiry(min(l.until-m.now, l.wait)), m.left(m.now))
	if !m.backoff.refusals {
		next.count = max(next.count, m.backoff.count)
	}
	m.backoff = next
	m.found, m.asked, m.failed = nothing, true, l.failure
}

// set sets the token.
func (i *facts) set(text string, expires, now int64) step {
	m := machine{i, &progress{force: true}, now}
	expires = min(expires, now+day)
	if expires <= now {
		return step{kind: "error", code: "token_mismatch"}
	}
	m.pardon(text)
	t := token{text, expires, expires - now, now}
	if i.token.text == text {
		t.requested = min(i.token.requested, now) // the clock may have been set back
		i.token, i.before = t, token{}
	} else {
		m.keep(t)
	}
	return step{kind: "nothing"}
}

func (i *facts) clear() { *i = facts{secret: i.secret, cleared: i.cleared + 1} }
