package model

import (
	"slices"
	"strings"

	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/instance"
)

// The times of the contract, in seconds.
const (
	margin     = 60
	day        = 86400
	hour       = 3600
	overlap    = 5   // at least, of the token before a renewed one
	young      = 10  // a refused token that is younger may not work yet
	old        = 360 // one that is older does not
	clockSlack = 60
)

const (
	mostWaits    = 24 // for the lock, of 20 seconds in all
	mostLocked   = 23 // seconds since a flow began
	mostPauses   = 24 // in backoffs, of 6 seconds in all
	mostRequests = 6
	mostWaited   = 21 // seconds
	mostSteps    = 4*mostWaits + 8*mostPauses
)

// inputCodes are those of errors that an input decides, and final those of errors that stay.
var (
	inputCodes = []string{"invalid_input", "clock_unusable", "token_mismatch"}
	final      = append([]string{"token_endpoint_rejected"}, inputCodes...)
)

// checks is what a flow did since it began, or began again.
type checks struct {
	cleared  int // how often its instance was cleared when it made its last step
	requests int
	waits    int
	waited   float64 // seconds
	steps    int
	failed   bool // its token request, or another instance's
	looked   bool // it read the token in the store since then
	lost     bool // it continues without the store
}

// known is what an instance is certain to know, as far as the contract says so.
type known struct {
	quiet int64 // until then, it sends no token request: a failed one, or its Retry-After
	told  int64 // until then, it sends none with any secret

	token                  string // the last one that it got, not refused since
	from, expires, renewal int64  // its times
	before                 string // the one before it, which is used until useFrom, if it has not expired
	beforeEnds, useFrom    int64
	pair                   [2]string // the last two, of which the service refused the second
	gone                   string    // the last one that was refused, not requested again

	worked, set bool  // the token was accepted; it came from set_token
	refusedAt   int64 // when it last learned of any refused token
	lookedAt    int64 // when it last read the token in the store within a backoff
}

// obtained notes a token. lifetime is what its margin is of, and set says that the token before is forgotten.
func (k *known) obtained(text string, requested, expires, lifetime, now int64, set bool) {
	k.before, k.beforeEnds = "", 0
	calm := now > k.refusedAt+margin // no token was refused lately
	if !set && calm && k.token != "" && k.token != text && now < k.expires && k.from <= now+clockSlack {
		k.before, k.beforeEnds = k.token, k.expires
	}
	k.token, k.from, k.expires, k.renewal = text, requested, expires, expires-min(margin, lifetime/2)
	k.useFrom, k.pair, k.worked, k.set = now+overlap, [2]string{}, false, set
	k.issued(text)
}

// issued notes that a token was requested or set again.
func (k *known) issued(text string) {
	if k.gone == text {
		k.gone = ""
	}
}

// learn notes what the result of a step shows. sameSecret says that it was not changed meanwhile.
func (k *known) learn(b *running, r result, now int64, sameSecret bool) {
	switch request := b.last.kind == "request"; {
	case request && r.token == "":
		if sameSecret || r.status/100 != 4 || r.status == 429 {
			k.quiet = max(k.quiet, now+max(1, min(r.retryAfter, hour)))
			k.told = max(k.told, now+min(r.retryAfter, hour))
		}
	case request:
		requested := min(b.since, now)
		expires := max(requested+min(r.expiresIn, day), now+1)
		k.quiet, k.told = 0, 0
		k.obtained(r.token, requested, expires, expires-requested, now, b.force)
		k.set = false
	case r.token != "" && r.expires > now: // in the store
		k.quiet, k.told, k.pair = 0, 0, [2]string{}
		if r.requested <= now {
			k.issued(r.token)
		}
		switch later := min(r.requested, now) > k.from; {
		case k.token != "" && later && r.requested <= now:
			expires := min(r.expires, now+day)
			k.obtained(r.token, r.requested, expires, expires-r.requested, now, b.force)
			k.set = false
		case later, now >= k.expires, k.token == b.refused: // then it may be any
			k.token = ""
		}
	}
}

// has reports whether the instance has a token that is not due.
func (k *known) has(now int64) bool {
	return k.token != "" && now >= k.from-clockSlack && now < k.renewal
}

// checkBegin begins a flow, and checks what it does with the tokens of its instance.
func (w *world) checkBegin(b *running, begin func()) {
	m, k, now := b.at, &b.at.known, w.now
	was, before, held, previous := *k, w.observe(m), m.held(instance.TokenObject), m.held(instance.Previous)
	begin()
	got, after := b.last, w.observe(m)
	usesBefore := now < was.useFrom && was.before != "" && now < was.beforeEnds
	if b.refused != "" {
		k.refusedAt = max(k.refusedAt, now)
		if k.gone = ""; b.refused == was.token && before.expires == was.expires && after.expires == 0 {
			k.gone = was.token
		}
	}
	if before.retry == 0 && after.retry != 0 {
		w.fail("only a failed token request begins a backoff", "%v", got)
	}
	switch {
	case b.force:
	case b.refused == "" || b.refused != held && b.refused != previous && b.refused != was.token:
		switch {
		case !was.has(now):
		case got.kind != "done":
			w.fail("a token is never lost", "%s, to be renewed at %+d: %v", was.token, was.renewal-start, got)
		case usesBefore && got.token != was.before, now >= was.useFrom && got.token != was.token:
			w.fail("the token requested last is used, 5 seconds later", "%s, before it %s: %v", was.token, was.before, got)
		}
	case b.refused == was.token && was.before != "" && now < was.beforeEnds:
		if got.token != was.before {
			w.fail("a service may learn of a renewed token late: the one before is used", "%v, not %s", got, was.before)
		}
		k.useFrom, k.pair = now+max(overlap, now-was.from), [2]string{was.token, was.before}
	case b.refused == held && before.retry != 0:
		if after.expires != before.expires {
			w.fail("a token that is refused within a backoff stays", "%+v, then %+v", before, after)
		}
		if got.token != "" { // the one before it
			k.token = ""
		}
	case b.refused == was.token && got.token == "" && was.stays(b.used, now):
		if after.expires != before.expires {
			w.fail("a refused token stays that may not work yet", "%+v, then %+v", before, after)
		}
		k.worked = k.worked || b.used
	case b.refused == was.token && before.retry == 0 && got.token == "" && was.goes(now) && after.expires != 0:
		w.fail("a refused token goes that will not work", "%v: %+v", got, after)
	case b.refused == was.pair[1] && now < was.beforeEnds-overlap && got.token == was.pair[0]:
		w.fail("of two refused tokens none is used", "%v", got)
	default:
		k.token, k.before = "", ""
	}
}

// stays reports whether a token stays that is refused now, and goes whether it does not.
func (k *known) stays(used bool, now int64) bool {
	return !used && !k.worked && !k.set && now >= k.from && now < k.from+young
}

func (k *known) goes(now int64) bool { return !k.worked && (k.set || now >= k.from+old) }

// checkLock checks that a lock belongs to one secret: to that of the instance, or, if a flow sets it,
// to that with which the flow added it.
func (w *world) checkLock(b *running) {
	secret := b.secret
	if b.last.kind == "set" {
		if secret = b.locked; secret != b.secret && strings.Contains(b.stored, "failed") {
			w.fail("a failure goes into the lock of its secret", "%s", b.stored)
		}
	} else {
		b.at.lock = b.key
	}
	if of, known := w.locks[b.key]; known && of != secret {
		w.fail("a lock belongs to a secret", "%s is that of %s, not %s", b.key, of, secret)
	}
	w.locks[b.key] = secret
}

// check checks what holds for every output.
func (w *world) check(b *running, r host.Result) {
	text, c, s, k := string(r.Text), &b.checks, &b.last, &b.at.known
	now, after := w.now, w.observe(b.at)
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
		if c.requests++; c.requests > 1 && (!b.patient || c.requests > mostRequests) {
			w.fail("a flow makes one token request, unless it waits until a backoff ends", "%d", c.requests)
		}
		if now < k.quiet {
			w.fail("a Retry-After is never shortened", "%d seconds are left", k.quiet-now)
		}
	case "get":
		if s.key == "token" {
			c.looked = true
			if after.retry != 0 || c.failed || c.lost || c.requests > 0 || b.refused != "" {
				k.lookedAt = now
			}
		}
	case "wait":
		c.waited += s.wait
		if c.waits++; c.waits > mostWaits+mostPauses || c.waited > mostWaited {
			w.fail("a flow waits for 20 seconds in all, and 6 in backoffs", "%d times, %v s", c.waits, c.waited)
		}
		if s.wait == .25 && after.retry > now+6 {
			w.fail("a flow waits only until a short backoff ends", "%+v", after)
		}
	case "error":
		if s.retry > hour || s.code == "service_unauthorized" && s.status != 401 || strings.HasPrefix(s.code, "token_endpoint") && s.status == 0 ||
			s.retryable == slices.Contains(final, s.code) && s.code != "service_error" {
			w.fail("an error is possible", "%v", s)
		}
		if b.store && !b.force && !c.lost && c.waits == 0 && s.retry > 0 && !c.looked && k.lookedAt != now && now >= k.refusedAt {
			w.fail("an error comes only after a look into the store", "%v", s)
		}
	}
	if c.steps > mostSteps {
		w.fail("a flow ends", "after %d steps", c.steps)
	}
	if s.token != "" && s.token == k.gone {
		w.fail("a refused token is used only if it was requested again", "%v", s)
	}
	if s.token != "" && s.until != 0 && (s.until <= now || s.until > s.tokenExpires) {
		w.fail("until is between now and the expiry", "%v at %d", s, now-start)
	}
	if now != w.clock(b.at) {
		return
	}
	if now < k.quiet && after.retry < k.quiet {
		w.fail("a Retry-After is never shortened", "%+v, not %+d", after, k.quiet-start)
	}
	if refused := c.steps == 1 && b.refused != ""; !refused && k.token != "" && now >= k.from-clockSlack && now < k.expires && (after.expires != k.expires || after.renew != k.renewal) {
		w.fail("a token lives from its request on", "%s: %+v, not %+d and %+d", k.token, after, k.expires-start, k.renewal-start)
	}
}

func (w *world) holdsNoSecret(text string) {
	if strings.Contains(text, "SECRETpass") {
		w.fail("nothing has the secret", "%s", text)
	}
}
