package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"automatic-rostering/plugin/core/flow"
	"automatic-rostering/plugin/core/host"
)

// demand draws what a call demands: another token, or a new one.
func (w *world) demand(m *member, f *progress) (input string) {
	switch n := w.IntN(10); {
	case n == 0:
		f.force, input = true, `,"force":true`
	case n < 5:
		f.refused = w.token(m)
		input = `,"refused":` + quote(f.refused)
		if w.oneIn(3) {
			f.used, input = true, input+`,"used":true`
		}
	}
	if f.force || f.refused == m.promise.token || f.refused != "" && f.refused == m.facts.token.text {
		m.promise.token = ""
	}
	return input
}

func (w *world) begin(m *member) {
	f := progress{client: m.client, accepts: w.shared && !w.oneIn(8)}
	input := w.demand(m, &f)
	if f.accepts {
		input += `,"accepts":["store"]`
	}
	clock, now := w.clockFor(m, 0)
	input = "{" + strings.TrimPrefix(clock+input, ",") + "}"
	b := &running{at: m, checks: checks{refused: f.refused, plain: !f.force && f.refused == "", begins: true, cleared: m.clears}}
	want := step{kind: "error", code: "clock_unusable"}
	if now != 0 {
		want, b.model = m.facts.begin(f, now)
	}
	w.took(b, "begin "+input, flow.Begin(m, []byte(input)), want)
}

// clockFor draws where a call has its time from: now in its input, the host's clock, or none;
// then it is that of the step.
func (w *world) clockFor(m *member, step int64) (input string, now int64) {
	now = w.clock(m)
	m.Clock = one(w, 0, now)
	if !w.noNow || w.oneIn(2) {
		input = fmt.Sprintf(`,"now":%d`, now)
	} else if m.Clock == 0 {
		now = step
	}
	w.now = now
	return input, now
}

func (w *world) clear(m *member) {
	m.facts.clear()
	m.clears++
	m.promise = promise{}
	w.say("%d: clear", m.number)
	flow.ClearToken(m, nil)
}

// took compares what the core returned with what the model did.
func (w *world) took(b *running, what string, r host.Result, want step) {
	w.steps++
	got, text, stored := readStep(r)
	w.say("%d at %+d: %s → %v", b.at.number, w.clock(b.at)-start, what, got)
	if want.retryable = want.kind == "error" && !slices.Contains(final, want.code); got != want {
		w.fail("the model", "%s\n got %v\nwant %v\nmodel %+v", what, got, want, b.at.facts)
		return
	}
	b.core, b.last, b.stored = text, got, stored
	w.check(b, r)
	if text != "" {
		if w.flows = append(w.flows, b); len(w.flows) > 10 {
			w.flows = w.flows[1:]
		}
	}
}

// pickFlow returns a flow that waits for its result, or one that was resumed before, or nil.
func (w *world) pickFlow(resumed bool) *running {
	if len(w.flows) == 0 {
		return nil
	}
	if b := one(w, w.flows...); b.resumed == resumed {
		return b
	}
	return nil
}

// resume resumes a flow on an instance, with what was carried out before, or is now. It
// returns the flow as it continues.
func (w *world) resume(b *running, m *member, usual bool) *running {
	if b.ready == nil {
		w.perform(b)
	}
	r, text := b.ready.result, strings.Replace(b.ready.text, `"<secret>"`, quote(m.Settings["client_secret"]), 1)
	b.resumed = true
	next := *b
	next.at, next.resumed, next.ready = m, false, nil
	clock, now := w.clockFor(m, b.model.now)
	want := step{kind: "error", code: "invalid_input", errorKey: "flow"}
	if b.model.client == m.client {
		if m.learn(b, r, now); now != w.clock(m) {
			m.promise = promise{} // the time of the step says nothing about now
		}
		want, next.model = m.facts.resume(b.model, r, now)
		if !usual || m.facts.token.text != m.promise.token {
			next.checks, m.promise.token = checks{cleared: m.clears}, ""
		}
	}
	input := fmt.Sprintf(`{"flow":%s%s%s}`, b.core, text, clock)
	w.took(&next, fmt.Sprintf("resume %s%s%s", b.last.kind, text, clock), flow.Resume(m, []byte(input)), want)
	return &next
}

// perform carries out a flow's step.
func (w *world) perform(b *running) {
	r, text := w.respond(b)
	b.ready = &delivery{r, text}
}

// waitOut resumes a flow for as long as it waits for the lock, which another instance keeps.
func (w *world) waitOut(b *running) {
	for range 2 * (mostWaits + 2) {
		if b.core == "" || b.last.kind != "wait" && (b.last.kind != "get" || b.last.key != "lock") {
			return
		}
		w.store[cacheKey(b.model.client)+":lock"] = entry{`{"state":"requesting"}`, w.time + 10}
		b = w.resume(b, b.at, true)
	}
}

// forge resumes a changed flow on a copy of its instance, which must neither fail nor harm it.
func (w *world) forge(b *running) {
	m := *b.at
	host := *b.at.Host
	host.Vars = maps.Clone(host.Vars)
	m.Host, m.promise = &host, promise{}
	_, text := w.respond(b)
	state, numbers, _ := strings.Cut(b.core, `"progress":"`)
	if w.oneIn(4) {
		state = strings.Replace(state, strings.ReplaceAll(b.model.state, " ", "_"), one(w, "requesting", "writing_lock", "reading_lock", "awaiting_lock", "done", "x"), 1)
	}
	fields := strings.Fields(strings.TrimSuffix(numbers, `"}`))
	for range w.IntN(4) {
		fields[w.IntN(len(fields))] = one(w, "0", "1", "2", "3", "4", "99", "404", "1800000000", "4102444800", "9007199254740991", "-1", "x")
	}
	forged := state + `"progress":"` + strings.Join(fields, " ") + ` "}`
	w.now = w.clock(&m)
	r := flow.Resume(&m, fmt.Appendf(nil, `{"flow":%s%s,"now":%d}`, forged, text, w.now))
	w.say("%d: forged %s%s → %s", m.number, forged, text, r.Text)
	s, _, _ := readStep(r)
	w.check(&running{at: &m, last: s, checks: checks{cleared: m.clears}}, r)
	if s, _, _ = readStep(flow.Begin(&m, fmt.Appendf(nil, `{"now":%d}`, w.now))); s.kind != "done" && s.kind != "request" && s.retry == 0 {
		w.fail("a forged flow does no harm", "%v", s)
	}
}

func (w *world) set(m *member) {
	now := w.clock(m)
	text, expires := w.token(m), now+one[int64](w, 3600, 3600, 100, 30, 1, 90000, 0)
	input := strings.TrimSuffix(object(text, expires, cacheKey(m.client)), "}") + fmt.Sprintf(`,"now":%d}`, now)
	b := &running{at: m, checks: checks{cleared: m.clears}}
	m.promise.token = ""
	w.now = now
	want := m.facts.set(text, expires, now)
	w.took(b, "set "+input, flow.SetToken(m, []byte(input)), want)
}
