package model

import "slices"

func (v view) tokenResponded(r *result) []string {
	c := v.c
	defer v.endPending()
	if r.error != "" || r.failed {
		err := r.error
		if r.failed {
			err = "error network_error"
		}
		v.fail(err, r.retryAfter, "")
		if v.now == 0 {
			return v.write()
		}
		if c.dead && c.locked && v.shares() {
			c.writes = append(c.writes, "set token refused")
		}
		if c.locked && !c.alone {
			c.writes = append(c.writes, "set lock failed")
		}
		return v.write()
	}
	c.got = r.token
	again := slices.Contains(v.refused, r.token) || r.token == c.refused
	v.keep(r.token, c.at, r.lifetime, v.now, c.refused != "")
	v.known(r.token)
	v.backoff = backoff{failures: v.backoff.failures, guessed: v.backoff.guessed || v.backoff.perhaps}
	if c.name == "get_token" {
		v.backoff = backoff{}
	}
	if v.shares() && v.token.expires > v.now {
		c.writes = append(c.writes, "set token "+r.token)
	}
	if c.locked && !c.alone {
		c.writes = append(c.writes, "set lock done")
	}
	if again { // it may be tried again, or count as refused at once
		v.unsure = true
	}
	return v.write()
}

// writeOrRefused is write, unless another call found the new token refused meanwhile.
func (v view) writeOrRefused() []string {
	c := v.c
	switch {
	case c.got == "" || !slices.Contains(v.refused, c.got):
		return v.write()
	case len(c.writes) > 0: // it may first write to the store
		return append(v.write(), "set lock failed")
	}
	return v.reject(c.got)
}

// reject is the rule for a 401 to a new token.
func (v view) reject(text string) []string {
	c := v.c
	v.fail("error service_unauthorized", 0, text)
	c.got, c.writes, c.ends = "", nil, "error service_unauthorized"
	if c.locked && !c.alone && v.now != 0 {
		c.writes = []string{"set lock failed"}
	}
	return v.write()
}

// responded returns what follows the response of the service.
func (v view) responded(r *result) []string {
	c := v.c
	stale := c.era != v.era || c.client != v.client
	switch {
	case r.failed || r.status == 0:
		return []string{"error network_error"}
	case r.status/100 == 2:
		if !stale {
			v.succeeded()
		}
		return []string{"done"}
	case r.status != 401:
		return []string{"error service_error"}
	case v.broken:
		v.unsure = true
		return nil
	case stale:
		return []string{"error service_unauthorized", "error service_unauthorized retryable", "error invalid_input", v.backoff.error}
	case c.using == c.got && v.knows(c.using):
		return v.reject(c.using)
	}
	on, certain := v.waiting()
	switch {
	case on && certain:
		return []string{v.backoff.error}
	case on:
		v.unsure = true
		return nil
	case c.using == c.got:
		return []string{"error service_unauthorized"}
	}
	if v.drop(c.using); r.unrepeated || c.requested || c.sends > 2 {
		return []string{"error service_unauthorized retryable"}
	}
	c.refused, c.alone, c.locked, c.dead, c.free, c.awaited, c.waited, c.storeWait = c.using, false, false, false, 0, 0, 0, 0
	return v.choose()
}
