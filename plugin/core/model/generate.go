package model

import (
	"math/rand/v2"
	"strings"

	"github.com/tidwall/gjson"
)

// generator makes up the next action for a world.
type generator struct {
	*rand.Rand
	w  *world
	id int
}

func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func one[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// mostCalls are under way at the same time.
const mostCalls = 8

func (g *generator) next() *action {
	a := g.choose()
	if a == nil {
		a = g.begin()
	}
	if g.IntN(100) < g.w.profile.pause {
		a.pass = one[int64](g, 1, 1, 1, 2, 3, 5, 10, 31, 61, 700, 3545, 3600)
	}
	a.noNow = g.IntN(100) < g.w.profile.noNow
	return a
}

func (g *generator) choose() *action {
	w := g.w
	a := &action{do: w.profile.pick(g.Rand), at: g.IntN(len(w.instances))}
	switch a.do {
	case "begin":
		if len(w.calls) < mostCalls {
			return nil
		}
		return g.resume()
	case "resume":
		return g.resume()
	case "odd":
		if a = g.resume(); a != nil {
			g.odd(a)
		}
		return a
	case "nonsense":
		if a = g.resume(); a != nil {
			n := one(g, nonsense...)
			a.result, a.raw = &n.result, n.raw
		}
		return a
	case "again":
		return g.again()
	case "elsewhere":
		if a = g.again(); a != nil {
			a.at = g.IntN(len(w.instances))
		}
		return a
	case "forge":
		if a = g.again(); a != nil {
			g.forge(a)
		}
		return a
	case "drop":
		if len(w.calls) == 0 {
			return nil
		}
		a.call = one(g, w.calls...).id
	case "set_token":
		a.text, a.num = g.token(), one[int64](g, 3600, 3600, 100, 30, 1, 90000, -5)
	case "config":
		a.name = one(g, "client-a", "client-b", "broken")
	case "jump":
		a.num = one[int64](g, 1, -1, -30, -100, -300, -3600, 300, 3600)
	case "refuse", "down", "store down":
		a.num = int64(g.IntN(3) / 2)
	case "poison":
		g.poison(a)
	}
	return a
}

// token returns the text of an existing token, or of an invented one.
func (g *generator) token() string {
	if g.oneIn(3) {
		g.id++
		return "TOKEN-set" + itoa(g.id)
	}
	if i := one(g, g.w.instances...); i.facts.token.text != "" && g.oneIn(2) {
		return i.facts.token.text
	}
	if n := g.w.granted; n > 0 {
		return g.w.grantName(1 + g.IntN(n))
	}
	return "TOKEN-none"
}

func (g *generator) begin() *action {
	g.id++
	a := &action{do: "begin", id: g.id, at: g.IntN(len(g.w.instances)), accepts: g.w.profile.accepts,
		name: one(g, "list_jobs", "list_jobs", "list_jobs", "get_token", "get_token", "send_request")}
	if g.w.profile.mixed && g.oneIn(3) {
		a.accepts = g.IntN(3)
	}
	a.renews = a.accepts > 0 && g.oneIn(3)
	switch {
	case a.name == "send_request":
		a.more = `,"path":"/a/b?c=d","method":"POST","body":true`
		if a.accepts == 0 || g.oneIn(3) {
			a.more = `,"path":"/a/b?c=d","method":"POST"`
		}
	case a.name == "list_jobs" && g.oneIn(6):
		a.more = one(g, `,"customer_id":"another"`, `,"customer_id":"third","user_id":null`)
	case a.name == "get_token" && g.oneIn(4):
		a.more = `,"force":true`
	case a.name == "get_token" && g.oneIn(3):
		a.text = g.token()
	}
	if i := g.w.instances[a.at]; i.dirty {
		return &action{do: "clear_token", at: a.at}
	}
	return a
}

// resume resumes a call with the result from the surroundings.
func (g *generator) resume() *action {
	if len(g.w.calls) == 0 {
		return nil
	}
	b := one(g, g.w.calls...)
	return &action{do: "resume", call: b.id, at: b.at.number}
}

// again resumes a flow that was resumed already, or whose call has ended.
func (g *generator) again() *action {
	all := append(append([]*branch(nil), g.w.calls...), g.w.ended...)
	if len(all) == 0 || len(g.w.calls) >= mostCalls {
		return nil
	}
	b := one(g, all...)
	if len(b.before) == 0 {
		return nil
	}
	g.id++
	a := &action{do: "resume", call: b.id, id: g.id, at: b.at.number, back: g.IntN(min(len(b.before), 3))}
	if g.oneIn(3) {
		g.oddFor(a, b.before[len(b.before)-1-a.back].last)
	}
	return a
}

// odd makes up a result of the call's step.
func (g *generator) odd(a *action) {
	if _, b := g.w.find(a.call); b != nil && len(b.before) > 0 {
		g.oddFor(a, b.before[len(b.before)-1].last)
	}
}

func (g *generator) oddFor(a *action, o output) {
	var pool []sample
	switch kindOf(o.words) {
	case "token":
		pool = tokenResponses
	case "service":
		if pool = serviceResponses; g.oneIn(40) {
			pool = cutResponses
		}
	case "get":
		pool = storeValues
	case "add":
		pool = addResults
	case "set":
		pool = setResults
	default:
		return
	}
	n := one(g, pool...)
	r := n.result
	key := o.key
	_, b := g.w.find(a.call)
	fill := strings.NewReplacer("KEY", strings.TrimSuffix(key, ":asking"), "NEW", "TOKEN-odd"+itoa(g.id), "USED", g.used(b, &o), "MET", b.attempt.refused,
		"NOW", itoa(int(g.w.clock(b.at))), "SOON", itoa(int(g.w.clock(b.at))+30), "LATER", itoa(int(g.w.clock(b.at))+3600),
		"PASSWORD", inJSON(g.w.profile.secret()), "PLAIN", strings.Trim(quote(g.w.profile.secret()), `"`))
	g.id++
	a.raw = fill.Replace(n.raw)
	if r.token = fill.Replace(r.token); strings.HasPrefix(a.raw, `,"value":"`) {
		r = *stored(gjson.Get("{"+a.raw[1:]+"}", "value").Str, b.attempt.client)
	}
	a.result = &r
}

// used returns a token that may have been refused.
func (g *generator) used(b *branch, o *output) string {
	switch {
	case o.purpose == "service":
		return o.token
	case b.attempt.refused != "" && g.oneIn(2):
		return b.attempt.refused
	}
	text := g.token()
	if refused := b.at.facts.refused; len(refused) > 0 {
		text = one(g, refused...)
	}
	if t := g.w.tokens[text]; t == nil || t.client != b.attempt.client {
		text = "TOKEN-used" + itoa(g.id)
	}
	return text
}

func (g *generator) forge(a *action) {
	_, b := g.w.find(a.call)
	flow := gjson.Parse(b.before[len(b.before)-1-a.back].last.flow)
	var names []string
	flow.ForEach(func(name, _ gjson.Result) bool { names = append(names, name.Str); return true })
	a.member = one(g, append(names, "at", "of", "token", "refused", "note", "own", "waits", "waited", "sharing", "found_free", "input.now")...)
	a.value = one(g, "", "0", "1", "2", "7", "1800000000", "4102444800", "9007199254740991", canary, "-1", `"x"`,
		quote(flow.Get(a.member).Str+"x"))
	if a.member == "state" {
		a.value = quote(one(g, states...))
	}
}

// states are states for forged flows, of the contract's diagram and others.
var states = []string{"awaiting_call", "reading_token", "taking_lock", "reading_lock", "awaiting_lock", "awaiting_token", "requesting",
	"writing_token", "writing_done", "writing_failure", "writing_rejection", "writing_refused", "cached", "taken", "new", "old", "choosing", "falling_back"}
