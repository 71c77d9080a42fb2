package model

import "slices"

// facts are what an instance knows.
type facts struct {
	token    token
	previous string   // the token before it
	endless  string   // the last token with an unknown expiry
	refused  []string // tokens that were dropped because the service refused them, at most four
	backoff  backoff
	numbers  int   // of pending calls so far
	pending  int   // the number of the pending call, or of the last one
	until    int64 // how long others wait for it
	looked   int64 // when a call checked the store during a backoff
	era      int   // the number of clear_tokens
	client   string
	broken   bool // the config is not usable
	unsure   bool // the model no longer knows it: a flow was forged
}

// token is the cached one. Times are Unix seconds; 0 where unknown.
type token struct {
	text                  string
	asked, expires, renew int64
	margin                int64
	replacement           bool
}

// backoff is the time during which no token is requested.
type backoff struct {
	error      string // in the model's words; empty without a backoff
	since, low int64  // when it began, at the latest and at the earliest
	wait       int64
	failures   int
	by         int    // the pending call that failed
	rejected   string // the new token that was refused
	perhaps    bool   // it may have ended
	guessed    bool   // the wait is a guess, because the number of failures is not certain
}

// knows reports whether an instance still has a token: the cached one, or the one before.
func (f *facts) knows(text string) bool { return text == f.token.text || text == f.previous }

// drop forgets a token that the service refused.
func (f *facts) drop(text string) {
	switch text {
	case f.token.text:
		f.previous, f.token = f.token.text, token{}
	case f.previous:
	default:
		return
	}
	f.known(text)
	f.refused = append(f.refused, text)
	if len(f.refused) > 4 {
		f.refused = f.refused[1:]
	}
}

// keep caches a token. Its lifetime starts at asked.
func (f *facts) keep(text string, asked, lifetime, now int64, replacement bool) {
	if asked = min(asked, now); asked == 0 {
		asked = now
	}
	if f.token.text != "" {
		f.previous = f.token.text
	}
	f.token = token{text: text, replacement: replacement}
	if asked == 0 {
		f.endless = text
		return
	}
	f.live(asked, lifetime)
}

const margin = 60

func (f *facts) live(asked, lifetime int64) {
	lifetime = min(lifetime, 86400)
	f.token.asked, f.token.expires, f.token.margin = asked, asked+lifetime, min(margin, lifetime/2)
	f.token.renew = f.token.expires - f.token.margin
}

// fail begins a backoff, unless there is no usable clock.
func (v view) fail(err string, retryAfter int64, rejected string) {
	v.c.error = err
	if v.now == 0 {
		return
	}
	n := v.backoff.failures + 1
	wait := int64(60)
	if n <= 6 {
		wait = 1 << (n - 1)
	}
	if retryAfter > 0 {
		wait = min(retryAfter, 3600)
	}
	v.backoff = backoff{error: err, since: v.now, low: v.now, wait: wait, failures: n, by: v.c.own, rejected: rejected,
		guessed: retryAfter == 0 && (v.backoff.perhaps || v.backoff.guessed)}
	v.c.fails = true
}

// endPending lets the others continue.
func (v view) endPending() {
	if v.c.own != 0 && v.pending == v.c.own {
		v.until = 0
	}
	v.c.own = 0
}

// set is the model of set_token.
func (f *facts) set(text string, expires int64, now int64) string {
	switch {
	case f.broken:
		return "error config_missing"
	case now != 0 && expires <= now:
		return "error token_mismatch"
	case f.token.text != text:
		if f.keep(text, now, expires-now, now, false); f.backoff.rejected == text {
			f.backoff.rejected = "set again" // it no longer counts as refused
		}
	case now != 0 && f.token.expires != now+min(expires-now, 86400):
		f.live(now, expires-now)
		f.token.replacement = false
	}
	f.known(text)
	return "nothing"
}

// known removes a token from the refused ones.
func (f *facts) known(text string) {
	f.refused = slices.DeleteFunc(slices.Clone(f.refused), func(t string) bool { return t == text })
}

// clear is the model of clear_token.
func (f *facts) clear() {
	*f = facts{era: f.era + 1, client: f.client, broken: f.broken, numbers: f.numbers}
}
