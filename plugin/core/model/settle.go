package model

import (
	"math"
	"strings"
)

// settle ends all faults, lets time pass, and wants every call to succeed again, with one token
// request for all instances that share a store, or for each instance.
func (w *world) settle() {
	w.refuses, w.down, w.storeDown, w.calls, w.ended = false, false, false, nil, nil
	latest := int64(0)
	for _, i := range w.instances {
		latest = max(latest, i.latest, w.clock(i))
	}
	// Tokens live a day at most, and garbage is written for as long.
	w.time += max(latest-start-w.time, 0) + 90_000
	for _, i := range w.instances {
		if i.offset = 0; i.dirty || i.facts.broken || i.facts.client != "client-a" {
			w.act(&action{do: "config", at: i.number, name: "client-a"})
			w.act(&action{do: "clear_token", at: i.number})
		}
	}
	accepts := max(w.profile.accepts, 1)
	for _, name := range []string{"list_jobs", "get_token", "send_request", "revoke", "list_jobs", "get_token"} {
		if w.finding != nil {
			return
		}
		if name == "revoke" {
			w.act(&action{do: "revoke", pass: 2})
			continue
		}
		before := w.granted
		for _, i := range w.instances {
			w.succeeds(name, accepts, i)
		}
		most := 1
		if accepts < 2 {
			most = len(w.instances)
		}
		if asked := w.granted - before; asked > most && w.profile.room == 0 {
			w.fail("after the last fault one token request is enough", "%d token requests for %s on %d instances", asked, name, len(w.instances))
		}
	}
}

// succeeds wants a call to succeed.
func (w *world) succeeds(name string, accepts int, i *instance) {
	more := ""
	if name == "send_request" {
		more = `,"path":"/a/b?c=d","method":"POST"`
	}
	const id = -1
	w.ended = nil
	w.act(&action{do: "begin", id: id, at: i.number, name: name, accepts: accepts, more: more})
	for range 40 {
		_, b := w.find(id)
		if w.finding != nil || b == nil {
			return
		}
		if ended := len(w.calls) == 0; ended {
			last := &b.attempt.last
			if w.profile.room > 0 && (last.flow != "" || last.words == "" || last.code == "token_response_invalid") {
				return // lost, or the token does not fit
			}
			if last.failed || !strings.HasPrefix(last.words, "done") && kindOf(last.words) != "service" {
				w.fail("after the last fault every call succeeds", "%s", last.text)
			}
			return
		}
		w.act(&action{do: "resume", call: id, at: i.number, pass: int64(math.Ceil(b.attempt.last.seconds))})
	}
	w.fail("after the last fault every call succeeds", "%s does not end", name)
}
