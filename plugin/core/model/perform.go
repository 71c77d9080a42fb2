package model

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"automatic-rostering/plugin/core/call"
)

// accepting returns what the host of a call accepts, as JSON.
func (a *action) accepting() string {
	words := []string{`"wait"`, `"store"`}[:a.accepts]
	if a.renews {
		words = append(slices.Clone(words), `"renew"`)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// begin begins a call.
func (w *world) begin(a *action, i *instance) bool {
	if _, b := w.find(a.id); i.dirty || b != nil {
		return false
	}
	b := &branch{id: a.id, at: i, home: i, input: a.more}
	b.attempt = attempt{name: a.name, accepts: a.accepts, renews: a.renews, force: strings.Contains(a.more, `"force":true`)}
	now, member := w.reading(a, i)
	more := a.more
	if a.text != "" {
		more += `,"refused":` + quote(a.text)
	}
	v := view{&i.facts, &b.attempt, now}
	if now != 0 && !usable(now, i.facts.token.asked) && !(b.attempt.force && usable(now, 0)) {
		v.now = 0
	}
	v.see()
	w.passed = ""
	allowed := v.begin(a.text)
	w.calls = append(w.calls, b)
	input := func(members string) []byte {
		return fmt.Appendf(nil, `{"call":%q,"accepts":%s,"input":{%s}}`, a.name, a.accepting(), strings.TrimPrefix(members, ","))
	}
	kept := i.kept
	w.step(b, v, allowed, "begin", input(member+more))
	if a.text == "" { // with refused, begin may drop the token
		w.keep(i, kept, string(input(more)), v.now, &b.attempt.last)
	}
	return true
}

// keep keeps a step as long as its host may, and compares a step with the kept one.
func (w *world) keep(i *instance, kept map[string]keptStep, input string, now int64, o *output) {
	if k, ok := kept[input]; ok && now >= k.at && now < k.until && !i.facts.unsure && o.text != k.text {
		w.fail("begin gives the same step until its time", "%s\n  instead of %s", o.text, k.text)
	}
	i.kept = kept
	if o.until != 0 {
		if i.kept == nil {
			i.kept = map[string]keptStep{}
		}
		i.kept[input] = keptStep{o.text, now, o.until}
	}
}

// reading returns the time as a call gets it, and the member of its input.
func (w *world) reading(a *action, i *instance) (now int64, member string) {
	now = w.clock(i)
	i.Clock = 0
	if w.profile.wasi {
		i.Clock = now
	}
	i.see(now)
	if a.noNow {
		return i.Clock, ""
	}
	return now, fmt.Sprintf(`,"now":%d`, now)
}

// resume passes a result to a call.
func (w *world) resume(a *action, i *instance) bool {
	b := w.fork(a, i)
	if b == nil {
		return false
	}
	c := &b.attempt
	r, raw, ok := a.result, a.raw, true
	if r == nil {
		r, raw, ok = w.surroundings(b)
	}
	if !ok { // a 2xx that need not be passed
		w.steps++
		w.drop(&action{call: b.id})
		return true
	}
	flow := c.last.flow
	if a.member != "" {
		if flow, ok = forge(flow, a.member, a.value); !ok {
			return false
		}
		c.wild, c.forged = true, true
	}
	now, member := w.reading(a, i)
	v := view{&i.facts, c, now}
	v.now = v.resumedAt()
	v.see()
	allowed := w.resumed(b, v, r)
	if r.token != "" {
		w.give(i, r.token)
	}
	w.passed = raw
	w.step(b, v, allowed, "resume", fmt.Appendf(nil, `{"flow":%s%s%s}`, flow, raw, member))
	return true
}

// fork returns the call that is resumed, as it was at the step that is resumed. One that is
// resumed again, or elsewhere, is a separate call from there on.
func (w *world) fork(a *action, i *instance) *branch {
	_, b := w.find(a.call)
	if b == nil || len(b.before) <= a.back {
		return nil
	}
	last := len(b.before) - 1 - a.back
	switch {
	case a.id != 0:
		b = &branch{id: a.id, at: i, home: b.home, input: b.input, steps: b.steps, before: slices.Clone(b.before[:last+1])}
		w.calls = append(w.calls, b)
	case a.back > 0 || b.at != i || !slices.Contains(w.calls, b):
		return nil
	}
	b.attempt = b.before[last]
	b.attempt.writes = slices.Clone(b.attempt.writes)
	return b
}

// resumedAt returns the time of a resume according to the contract.
func (v view) resumedAt() int64 {
	asked := v.token.asked
	if v.c.force {
		asked = 0
	}
	switch service := kindOf(v.c.last.words) == "service"; {
	case v.now != 0 && usable(v.now, asked):
		return v.now
	case service:
		return 0
	case v.now != 0, v.c.era != v.era:
		v.unsure = true // the contract does not define which time counts
	}
	return v.c.at
}

// resumed returns the outputs that are allowed after a result, or nil if all are.
func (w *world) resumed(b *branch, v view, r *result) []string {
	c := v.c
	foreign := b.at != b.home
	service := kindOf(c.last.words) == "service"
	switch {
	case foreign && service && !c.wild && !v.knows(c.using):
		// It changes no token of this instance, and shows nothing of the response.
		c.wild = true
		if r.status == 401 {
			return nil
		}
		return []string{"done", "error service_error", "error network_error", "error invalid_input"}
	case foreign && service && !c.wild: // it has the token too: the response counts here as there
		b.home, c.own = b.at, 0
		return v.resume(r)
	case foreign, c.wild:
		c.wild = true
		if !service || c.forged || v.knows(c.using) {
			v.unsure = true
		}
		return nil
	}
	return v.resume(r)
}

// give records that an instance is given a token.
func (w *world) give(i *instance, text string) {
	if w.tokens[text] == nil {
		w.issue(text, i.facts.client, 3600)
	}
	i.had[text] = i.facts.era
}

// step calls an export for a step, and checks its output.
func (w *world) step(b *branch, v view, allowed []string, export string, input []byte) {
	w.steps++
	b.steps++
	w.logs = w.logs[:0]
	o, ok := w.take(b.at, export, input)
	if !ok {
		w.drop(&action{call: b.id})
		return
	}
	if w.trace != nil {
		w.trace(fmt.Sprintf("  %s [%s]  allowed: %s  facts: %+v", shorten(o.text), strings.Join(w.logs, "; "), strings.Join(allowed, " | "), *v.facts))
	}
	w.holds(b.at, b, &o)
	if allowed != nil && !v.unsure && !slices.Contains(allowed, o.words) {
		w.fail(v.invariant(&o, allowed), "%s\n  instead of %s\n  log: %s", o.text, strings.Join(allowed, ", or "), strings.Join(w.logs, "; "))
	}
	if o.code == "invalid_input" && len(allowed) == 1 { // the flow may be resumed as it should
		o.flow = ""
	} else {
		v.follow(&o)
	}
	if v.c.wild && !o.failed && o.step != "done" {
		v.unsure = true
	}
	if o.flow == "" {
		w.drop(&action{call: b.id})
		return
	}
	b.before = append(b.before, b.attempt)
}

// mostLosses is the largest number of calls that an instance may lose because its host has too
// little room for vars: with each token it may find out again what does not fit.
func (w *world) mostLosses() int { return 4 + 3*len(w.tokens) }

var exports = map[string]func(call.Host, []byte) *call.Step{
	"begin": call.Begin, "resume": call.Resume, "set_token": call.SetToken, "clear_token": call.ClearToken,
}

// take calls an export; ok is false if the host ended the call.
func (w *world) take(i *instance, export string, input []byte) (o output, ok bool) {
	i.kept = nil
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
		case lost:
			i.facts.unsure = true
			if i.losses++; i.losses > w.mostLosses() {
				w.fail("a host with little room for vars loses few calls", "%d of one instance, with room for %d bytes", i.losses, i.room)
			}
		default:
			w.fail("no call ends in a trap", "%v\n%s", p, debug.Stack())
		}
	}()
	return read(i.host, exports[export](i, input)), true
}

// shorten removes from a step what is the same in each.
func shorten(step string) string {
	if _, flow, found := strings.Cut(step, `"flow":`); found {
		before, _, _ := strings.Cut(flow, `,"request"`)
		before, _, _ = strings.Cut(before, `,"op"`)
		return fmt.Sprintf("%.60s %s", step, before)
	}
	return fmt.Sprintf("%.300s", step)
}
