package model

import (
	"strings"

	"automatic-rostering/plugin/core/host"
)

// checks is what a flow is checked for, whatever the model says.
type checks struct {
	refused  string // that it began with
	plain    bool   // it began without force and refused
	begins   bool
	cleared  int // how often its instance was cleared when it made its last step
	requests int
	waits    int
	steps    int
}

// promise is what an instance is known to have, whatever the model says.
type promise struct {
	quiet   int64  // until then, it sends no token request: a Retry-After
	token   string // it got, not refused since
	from    int64  // and requested then
	renewal int64  // which is not before this
}

const (
	mostWaits    = 24 // for the lock, of 20 seconds in all
	mostPauses   = 22 // in backoffs
	mostRequests = 6
	mostSteps    = 4*mostWaits + 8*mostPauses
)

// check checks what holds for every output.
func (w *world) check(b *running, r host.Result) {
	text, c, s := string(r.Text), &b.checks, &b.last
	now := w.now
	if s.kind != "request" {
		w.holdsNoSecret(text)
	}
	if strings.Contains(b.core, "TOKEN-") || s.kind == "error" && strings.Contains(text, "TOKEN-") {
		w.fail("a flow and an error have no token", "%s", text)
	}
	for _, line := range w.logs {
		w.holdsNoSecret(line)
		if strings.Contains(line, "TOKEN-") {
			w.fail("a log line has no token", "%s", line)
		}
	}
	w.logs = w.logs[:0]
	if c.cleared != b.at.clears {
		*c = checks{cleared: b.at.clears}
	}
	switch c.steps++; s.kind {
	case "request":
		if c.requests++; c.requests > 1 && (!b.model.patient || c.requests > mostRequests) {
			w.fail("a flow makes one token request, unless it waits until a backoff ends", "%d", c.requests)
		}
		if now < b.at.quiet {
			w.fail("a Retry-After is never shortened", "%d seconds are left", b.at.quiet-now)
		}
	case "wait":
		if c.waits++; c.waits > mostWaits+mostPauses {
			w.fail("a flow waits for 20 seconds in all, and 5 in backoffs", "%d times", c.waits)
		}
	case "error":
		if s.retry > hour || s.code == "service_unauthorized" && s.status != 401 || strings.HasPrefix(s.code, "token_endpoint") && s.status == 0 {
			w.fail("an error is possible", "%v", s)
		}
	}
	if c.steps > mostSteps {
		w.fail("a flow ends", "after %d steps", c.steps)
	}
	if s.token != "" && s.until != 0 && (s.until <= now || s.until > s.tokenExpires) {
		w.fail("until is between now and the expiry", "%v at %d", s, now-start)
	}
	if c.begins && s.token != "" && s.token == c.refused {
		w.fail("a flow does not begin with the token that it refuses", "%v", s)
	}
	if p := &b.at.promise; c.begins && c.plain && p.token != "" && now >= p.from-clockSlack && now < p.renewal && s.kind != "done" {
		w.fail("a token is never lost", "%s, to be renewed at %+d: %v", p.token, p.renewal-start, s)
	}
	c.begins = false
}

// learn notes what the result of a step promises.
func (m *member) learn(b *running, r result, now int64) {
	p := &m.promise
	switch {
	case b.checks.cleared != m.clears: // it starts over
	case b.last.kind == "request" && r.retryAfter > 0:
		p.quiet = max(p.quiet, now+min(r.retryAfter, hour))
	case b.last.kind == "get" && r.token != "":
		p.quiet = 0 // perhaps
		if r.token == p.token {
			p.token = "" // the store says until when it lives, if it was requested again
		}
	case b.last.kind == "request" && r.token != "":
		p.quiet = 0
		lives := min(r.expiresIn, day)
		p.token, p.from, p.renewal = r.token, min(b.model.now, now), min(b.model.now, now)+lives-margin
	}
}

func (w *world) holdsNoSecret(text string) {
	if strings.Contains(text, "SECRETpass") {
		w.fail("nothing has the secret", "%s", text)
	}
}
