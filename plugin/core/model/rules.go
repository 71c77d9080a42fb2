package model

import (
	"slices"
	"strings"
)

// result is what a host passes, as the contract reads it.
type result struct {
	fits string // the kind of step that it fits: see kindOf

	status     int
	retryAfter int64
	unrepeated bool   // "repeatable": false
	error      string // of a token request, in the model's words; "" with a token
	token      string // in the response of the token endpoint, or in the store
	lifetime   int64
	expires    int64 // of the token in the store
	added      bool
	failed     bool
	lock       lock
}

// lock is the meaning of the lock's value.
type lock struct {
	state    string // asking, done, failed, or "" if it is gone
	error    string
	until    int64
	wait     int64 // 0 if missing
	failures int
}

// kindOf returns the kind of step in the model's words: the same results fit it.
func kindOf(words string) string {
	first, _, _ := strings.Cut(words, " ")
	return first
}

// begin returns what a call may return first.
func (v view) begin(refused string) []string {
	c := v.c
	c.era, c.client = v.era, v.client
	if v.now == 0 && c.name == "get_token" {
		return []string{"error clock_unusable"}
	}
	if refused != "" {
		if v.token.text == refused {
			on, certain := v.waiting()
			young := v.token.replacement && v.now < v.token.asked+60
			switch {
			case on && certain:
				c.refused = refused
				return append(v.choose(), v.backoff.error) // or a newer token
			case on:
				v.unsure = true
				return nil
			case young:
				v.fail("error service_unauthorized", 0, refused)
				return []string{"error service_unauthorized"}
			}
			v.drop(refused)
		}
		c.refused = refused
	}
	return v.choose()
}

// resume returns what a call may return after a result.
func (v view) resume(r *result) []string {
	c := v.c
	c.chose, c.renews = false, false
	kind := kindOf(c.last.words)
	switch {
	case r.fits != kind && !(r.failed && kind != "wait"):
		return []string{"error invalid_input"}
	case kind == "service":
		return v.responded(r)
	case v.broken, c.client != v.client:
		v.endPending()
		return []string{"error invalid_input", "error config_missing"}
	case c.era != v.era: // it begins anew
		v.endPending()
		switch {
		case kind != "set":
		case c.error != "":
			return []string{c.error}
		case c.last.words == "set lock failed": // because of a forged flow
			return nil
		}
		*c = attempt{name: c.name, accepts: c.accepts, force: c.force, refused: c.refused, sends: c.sends, last: c.last}
		return v.begin("")
	}
	if r.failed && kind != "token" {
		c.alone = true
	}
	switch c.last.words {
	case "wait for call":
		// A driver ends such a wait early, so its length is taken from the clock.
		c.waited += min(max(v.now-c.at, 1), 5)
		return v.choose()
	case "wait for store":
		if v.valid() || v.fresh() {
			return []string{v.use(v.token.text)}
		}
		c.free = 0
		return []string{"get lock"}
	case "get token":
		return v.tokenRead(r)
	case "add lock":
		return v.lockTried(r)
	case "get lock":
		return v.lockRead(r)
	case "token request":
		return v.tokenResponded(r)
	}
	if len(c.writes) > 0 {
		c.writes = c.writes[1:]
	}
	if r.failed {
		c.writes = nil
	}
	return v.writeOrRefused()
}

func (v view) tokenRead(r *result) []string {
	c := v.c
	known := slices.Contains(v.refused, r.token) || r.token == c.refused
	looking := c.looking
	c.looking, c.dead = false, r.token != "" && known
	if r.token != "" && !known && r.expires > v.now && (!v.usable() || r.expires > v.token.expires) && !c.alone {
		v.keep(r.token, v.now, r.expires-v.now, v.now, c.refused != "")
		c.taken = r.token
		v.endPending()
		return []string{v.use(r.token)}
	}
	switch {
	case looking:
		if on, certain := v.waiting(); !on || !certain {
			return append(v.choose(), v.orOld(v.backoff.error)...)
		}
		return v.orOld(v.backoff.error)
	case c.alone:
		return v.gate()
	case v.fresh():
		return []string{v.use(v.token.text), "add lock"}
	}
	switch on, certain := v.waiting(); {
	case on && certain:
		return v.orOld(v.backoff.error)
	case on:
		return append(v.orOld(v.backoff.error), "add lock")
	}
	return []string{"add lock"}
}

func (v view) lockTried(r *result) []string {
	c := v.c
	switch {
	case r.added && !r.failed:
		c.locked = true
		return v.gate()
	case c.alone || c.force:
		return v.gate()
	case v.valid():
		v.token.renew = min(max(v.now+1, v.token.asked), v.token.expires)
		return []string{v.use(v.token.text)}
	}
	return []string{"get lock"}
}

func (v view) lockRead(r *result) []string {
	c, l := v.c, &r.lock
	switch {
	case c.alone:
		return v.gate()
	case l.state == "failed" && l.until < v.now-600:
		return v.gate()
	case l.state == "failed":
		wait := min(max(l.until-v.now, 1), 3600)
		if l.wait > 0 {
			wait = min(wait, l.wait)
		}
		v.backoff = backoff{error: l.error, since: v.now, low: v.now, wait: wait, by: c.own, failures: max(l.failures, v.backoff.failures)}
		v.endPending()
		return v.orOld(l.error)
	case v.valid():
		return []string{v.use(v.token.text)}
	case c.storeWait >= 30:
		c.alone = true
		return v.gate()
	case l.state == "" || l.state == "done":
		if c.free++; c.free == 1 {
			return []string{"get token"}
		}
	}
	return []string{"wait for store"}
}
