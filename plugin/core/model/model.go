package model

// The model is the contract's rules for one instance, without encoding, flows and prepared
// requests: what an instance knows (facts), what a call has done (attempt), and which outputs
// the contract then allows, in the words of output.inWords. If the contract leaves a choice,
// the model allows each, and follows the one that was taken.

// attempt is what one call has done so far.
type attempt struct {
	name      string // of the export
	accepts   int    // 1 waits, 2 the store too
	renews    bool   // in the step of begin: the host renews in the background
	force     bool
	era       int
	client    string
	own       int   // its number as the pending call, or 0
	awaited   int   // the pending call that it waited for
	waited    int64 // seconds of waits for calls
	storeWait float64
	refused   string // the token that was refused in this call
	requested bool   // a token
	got       string // the token that it requested
	taken     string // the token that it took from the store
	error     string // of its own token request
	using     string // the token of its request to the service
	sends     int    // requests to the service
	chose     bool   // it chooses in this step
	looking   bool   // checks the store during a backoff
	locked    bool
	alone     bool // continues without the store
	free      int  // how often it found the lock free
	dead      bool // the store has a refused token
	writes    []string
	ends      string // the error that follows the writes
	fails     bool   // a backoff began in this step
	at        int64  // when its last step was returned
	last      output
	wild      bool // its flow was forged, or is another instance's
	forged    bool
}

// view is what the contract's rules depend on: an instance, one of its calls, and the time,
// which is 0 without a usable clock.
type view struct {
	*facts
	c   *attempt
	now int64
}

func (v view) single() bool { return v.c.accepts > 0 && v.now != 0 }
func (v view) shares() bool { return v.c.accepts == 2 && v.now != 0 && !v.c.alone }

// usable reports whether there is a token that this call may use.
func (v view) usable() bool { return v.token.text != "" && v.token.text != v.c.refused }

// fresh reports whether the cached token is used without a renewal.
func (v view) fresh() bool {
	switch {
	case !v.usable() || v.c.force:
		return false
	case v.now == 0:
		return true
	case v.token.expires == 0:
		return v.c.name != "get_token"
	}
	return v.now < v.token.renew
}

// valid reports whether the cached token is valid, as far as is known.
func (v view) valid() bool {
	if !v.usable() || v.c.force {
		return false
	}
	unknown := v.now == 0 || v.token.expires == 0
	return unknown && v.c.name != "get_token" || !unknown && v.now < v.token.expires
}

// waiting reports whether there is a backoff, and whether that is certain.
func (v view) waiting() (on, certain bool) {
	b := &v.backoff
	if b.error == "" || v.now == 0 {
		return false, true
	}
	early, late := min(b.low, v.now)+b.wait > v.now, min(b.since, v.now)+b.wait > v.now
	return early || late, early == late && !b.perhaps
}

// see records the time: if the clock was set back, a backoff may start anew.
func (v view) see() {
	if v.now != 0 {
		v.backoff.low = min(v.backoff.low, v.now)
	}
}

// use returns the step that uses a token: the request to the service, or the token object.
func (v view) use(text string) string {
	if v.c.name == "get_token" {
		return "done " + text
	}
	return "service " + text
}

// choose returns what a call may do that has no token yet.
func (v view) choose() []string {
	v.c.chose = true
	if v.fresh() {
		return []string{v.use(v.token.text)}
	}
	if v.broken {
		return append(v.orOld("error config_missing"), "error config_missing")
	}
	if allowed := v.others(); allowed != nil {
		return allowed
	}
	if v.c.awaited != 0 && v.backoff.by == v.c.awaited && v.backoff.error != "" && !v.valid() {
		return v.lookOr(v.backoff.error)
	}
	on, certain := v.waiting()
	switch {
	case on && certain:
		return v.lookOr(v.backoff.error)
	case on:
		return append(v.lookOr(v.backoff.error), v.obtain()...)
	}
	return v.obtain()
}

// renews ends the words of a step that leaves the renewal to the host.
const renews = " renew"

// obtain returns the first step of obtaining a token.
func (v view) obtain() []string {
	switch {
	case v.c.renews && v.valid() && 3*(v.token.expires-v.now) >= v.token.margin:
		return []string{v.use(v.token.text) + renews}
	case !v.shares():
		v.c.alone = v.c.alone || v.now == 0
		return []string{"token request"}
	case v.c.force:
		return []string{"add lock"}
	}
	return []string{"get token"}
}

// others returns what a call may do while another call of the instance obtains a token.
func (v view) others() []string {
	switch {
	case !v.otherPending() || v.c.force:
		return nil
	case v.valid():
		return []string{v.use(v.token.text)}
	case v.c.waited >= 30:
		return []string{"error network_error"}
	}
	on, _ := v.waiting()
	if on { // both rules hold
		return append(v.lookOr(v.backoff.error), "wait for call")
	}
	return []string{"wait for call"}
}

// otherPending reports whether another call is pending. If the time is further ahead than
// possible, the clock was set back since.
func (v view) otherPending() bool {
	return v.single() && v.pending != 0 && v.pending != v.c.own && v.now < v.until && v.until <= v.now+30+60
}

// orOld ends a call that gets no new token: with the old one while it is valid.
func (v view) orOld(err string) []string {
	if v.valid() {
		return []string{v.use(v.token.text)}
	}
	return []string{err}
}

// lookOr is orOld, or a check of the store once a second.
func (v view) lookOr(err string) []string {
	allowed := v.orOld(err)
	if v.shares() && !v.c.force && !v.valid() && (v.looked < v.now || v.looked > v.now+60) {
		allowed = append(allowed, "get token")
	}
	return allowed
}

// gate returns what follows the last check before a token request. A call that holds the lock
// and sends no request releases it.
func (v view) gate() []string {
	allowed := []string{"token request"}
	on, certain := v.waiting()
	others := v.others()
	if v.c.locked { // those who wait for the lock wait for this call
		others = nil
	}
	switch {
	case v.fresh():
		allowed = []string{v.use(v.token.text)}
	case others != nil:
		allowed = others
	case on && certain:
		allowed = v.orOld(v.backoff.error)
	case on:
		allowed = append(v.orOld(v.backoff.error), "token request")
	}
	if v.c.locked && allowed[0] != "token request" {
		v.c.writes = []string{"set lock done"}
		if !on {
			return v.c.writes
		}
		v.c.error = v.backoff.error
		allowed = append(allowed[len(allowed)-1:], "set lock done", "set lock failed")
		if allowed[0] != "token request" {
			return allowed[1:]
		}
	}
	return allowed
}

// write returns the next step that informs the fleet, or how the call continues.
func (v view) write() []string {
	if len(v.c.writes) > 0 {
		return v.c.writes[:1]
	}
	switch {
	case v.c.ends != "":
		return []string{v.c.ends}
	case v.c.got == "" && v.c.error == "": // it has released the lock
		v.c.locked = false
		return v.choose()
	case v.c.got == "":
		return v.orOld(v.c.error)
	case v.c.name == "get_token" && v.c.got == v.endless: // a get_token says when its token expires
		return []string{v.use(v.c.got), invalid}
	case !v.knows(v.c.got):
		return []string{v.use(v.c.got), v.use(v.token.text), invalid}
	}
	return []string{v.use(v.c.got)}
}
