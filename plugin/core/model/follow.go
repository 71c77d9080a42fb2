package model

import (
	"strings"

	"github.com/tidwall/gjson"
)

// follow updates the model after an output that it allowed.
func (v view) follow(o *output) {
	c := v.c
	if c.at = v.now; o.purpose == "service" {
		c.at = 0
	}
	if b := &v.backoff; b.guessed && c.fails {
		b.learn(o)
	}
	c.fails = false
	c.last = *o
	first, rest, _ := strings.Cut(strings.TrimSuffix(o.words, renews), " ")
	switch first {
	case "token":
		c.requested, c.writes, c.error = true, nil, ""
		v.obtaining(o.words)
	case "get", "add":
		v.obtaining(o.words)
	case "wait":
		v.waits(o)
	case "service":
		c.using, c.sends = rest, c.sends+1
		v.endPending()
	case "set":
		v.holdPending(30)
		c.locked = c.locked && (c.got != "" || c.ends != "" || !strings.HasPrefix(rest, "lock"))
		if len(c.writes) > 0 {
			if c.writes[0] = o.words; o.words == "set lock done" {
				c.error = ""
			}
		}
	default:
		if c.name == "get_token" && c.taken != "" && !o.failed {
			v.backoff = backoff{} // it has succeeded with a token from the store
		}
		v.endPending()
	}
}

// learn reads how long the backoff is from the output of the call that failed, if the model
// can only guess.
func (b *backoff) learn(o *output) {
	wait := gjson.Get(o.value, "wait").Int()
	if o.words == b.error {
		wait = o.retryAfter
	}
	if wait == 0 {
		b.perhaps = true
		return
	}
	b.wait, b.failures, b.guessed = wait, 1, false
	for b.failures < 7 && 1<<(b.failures-1) < wait {
		b.failures++
	}
}

// obtaining updates the model after a step that obtains a token.
func (v view) obtaining(words string) {
	on, certain := v.waiting()
	switch {
	case !v.c.chose:
		v.holdPending(30)
	case words == "get token" && on:
		if !certain { // a check of the store, or the first step to a token request
			v.unsure = true
		}
		v.c.looking, v.looked, v.c.own = true, v.now, 0
	default:
		v.becomePending()
	}
}

func (v view) waits(o *output) {
	c := v.c
	if o.purpose == "call" {
		c.awaited = v.pending
		return
	}
	c.storeWait += o.seconds
	v.holdPending(3)
}

// becomePending makes the call the pending call, unless there is one.
func (v view) becomePending() {
	c := v.c
	other := v.otherPending()
	if c.own, c.free = 0, 0; v.single() && !other {
		v.numbers++
		c.own, v.pending, v.until = v.numbers, v.numbers, v.now+30
	}
}

func (v view) holdPending(seconds int64) {
	if v.c.own != 0 && v.pending == v.c.own && v.now != 0 {
		v.until = v.now + seconds
	}
}

// succeeded ends the backoff, if a call that the service accepted does so.
func (v view) succeeded() {
	c, b := v.c, &v.backoff
	switch {
	case b.rejected != "" && b.rejected == c.using && c.using == v.token.text:
		*b = backoff{}
	case b.rejected != "": // the contract says that it does, but the core forgets
		b.perhaps = true
	case c.using != c.got && c.using != c.taken:
	case v.knows(c.using):
		*b = backoff{}
	default: // two other tokens came since
		b.perhaps = true
	}
}
