package model

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"automatic-rostering.example/rostering/plugin/core/flow"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/instance"

	"github.com/tidwall/gjson"
)

// demand draws what a call demands: another token, or a new one.
func (w *world) demand(m *member, f *begun) (input string) {
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
	return input
}

func (w *world) begin(m *member) {
	f := begun{client: m.client, store: w.shared && !w.oneIn(8), patient: w.oneIn(2)}
	input := w.demand(m, &f)
	switch {
	case f.store && f.patient:
		input += `,"accepts":["store","wait"]`
	case f.store:
		input += `,"accepts":["store"]`
	case f.patient:
		input += `,"accepts":["wait"]`
	}
	clock, now := w.clockFor(m, 0)
	input = "{" + strings.TrimPrefix(clock+input, ",") + "}"
	f.start = now
	b := &running{at: m, begun: f, checks: checks{cleared: m.clears}}
	if now == 0 {
		w.took(b, "begin "+input, flow.Begin(m, []byte(input)), "clock_unusable")
		return
	}
	w.checkBegin(b, func() { w.took(b, "begin "+input, flow.Begin(m, []byte(input)), "") })
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
	m.clears++
	m.known = known{refusedAt: m.refusedAt}
	w.say("%d: clear", m.number)
	flow.ClearToken(m, nil)
}

// took takes what the core returned: an error with a code that only the input decides, if there is one.
func (w *world) took(b *running, what string, r host.Result, code string) {
	w.steps++
	got, text, stored := readStep(r)
	w.say("%d at %+d: %s → %v", b.at.number, w.clock(b.at)-start, what, got)
	if ofInput := slices.Contains(inputCodes, got.code); ofInput && got.code != code || code != "" && got.code != code {
		w.fail("an input is valid or not", "%s: %v, not %s", what, got, code)
		return
	}
	b.since, b.secret = w.now, b.at.Settings["client_secret"]
	b.core, b.last, b.stored, b.key = text, got, stored, gjson.GetBytes(r.Text, "key").Str
	w.check(b, r)
	if got.key == "lock" {
		w.checkLock(b)
	}
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
	r, text := b.ready.result, b.ready.text
	b.resumed = true
	held := r.token == m.held(instance.TokenObject) || r.token == m.held(instance.Previous)
	next := *b
	next.at, next.resumed, next.ready = m, false, nil
	clock, now := w.clockFor(m, b.since)
	code := "invalid_input"
	if b.client == m.client {
		code = ""
		if r.added {
			next.locked = b.secret
		}
		if b.checks.cleared == m.clears { // otherwise it begins again
			m.known.learn(b, r, now, b.secret == m.Settings["client_secret"])
		}
		if now != w.clock(m) {
			m.known = known{refusedAt: w.clock(m) + 2*hour} // the time of the step says nothing about now
		}
		late := b.last.key == "lock" && now >= b.start+mostLocked
		next.checks.lost = next.checks.lost || late || r.failed && b.last.key != "" || r.lockFailed // which may be of long ago
		if b.last.kind == "request" && r.token == "" {
			if next.checks.failed, next.checks.looked = true, false; b.secret != m.Settings["client_secret"] {
				next.checks.requests-- // it may ask with the new one
			}
		}
		if !usual {
			next.checks, m.known.token = checks{cleared: m.clears, lost: true}, ""
		}
	}
	var before status
	rejected := code == "" && b.secret != m.Settings["client_secret"] && b.last.kind == "request" && r.status/100 == 4 && r.status != 429
	if rejected {
		before = w.observe(m)
	}
	input := fmt.Sprintf(`{"flow":%s%s%s}`, b.core, text, clock)
	w.took(&next, fmt.Sprintf("resume %s%s%s", b.last.kind, text, clock), flow.Resume(m, []byte(input)), code)
	if rejected && w.observe(m).retry > before.retry {
		w.fail("the rejection of a secret that was changed meanwhile does not count", "%v", next.last)
	}
	if cleared := b.checks.cleared != m.clears; cleared && code == "" && b.last.kind == "request" && !held && r.token != "" && next.last.token == r.token {
		w.fail("what a flow got before a clear_token is forgotten", "%s", r.token)
	}
	return &next
}

// perform carries out a flow's step.
func (w *world) perform(b *running) {
	r, text := w.respond(b)
	secret := quote(b.secret) // which the token endpoint repeats
	body := quote(`{"error":"x","error_description":` + secret + `}`)
	b.ready = &delivery{r, strings.NewReplacer(`"<secret>"`, secret, `"<body>"`, body).Replace(text)}
}

// waitOut resumes a flow for as long as it waits for the lock, which another instance keeps.
func (w *world) waitOut(b *running) {
	for range 2 * (mostWaits + 2) {
		if b.core == "" || b.at.lock == "" || b.last.kind != "wait" && (b.last.kind != "get" || b.last.key != "lock") {
			return
		}
		w.store[b.at.lock] = entry{`{"state":"requesting"}`, w.time + 10}
		b = w.resume(b, b.at, true)
	}
}

// forge resumes a changed flow on a copy of its instance, which must refuse it.
func (w *world) forge(b *running) {
	m := *b.at
	host := *b.at.Host
	host.Vars = maps.Clone(host.Vars)
	m.Host, m.known = &host, known{}
	_, text := w.respond(b)
	numbers := strings.Fields(strings.Trim(b.core, `"`))
	for range 1 + w.IntN(3) {
		numbers[w.IntN(len(numbers))] = one(w, "", "00", "x", "-1", fmt.Sprint(w.IntN(100)), fmt.Sprint(w.Uint64()))
	}
	forged := quote(strings.Join(numbers, " "))
	if forged == b.core {
		return
	}
	w.now = w.clock(&m)
	r := flow.Resume(&m, fmt.Appendf(nil, `{"flow":%s%s,"now":%d}`, forged, text, w.now))
	w.say("%d: forged %s%s → %s", m.number, forged, text, r.Text)
	if s, _, _ := readStep(r); s.code != "invalid_input" || s.errorKey != "flow" || !maps.EqualFunc(host.Vars, b.at.Host.Vars, bytes.Equal) {
		w.fail("a changed flow is invalid, and changes nothing", "%v", s)
	}
}

func (w *world) set(m *member) {
	now := w.clock(m)
	text, expires := w.token(m), now+one[int64](w, 3600, 3600, 100, 30, 1, 90000, 0)
	input := strings.TrimSuffix(object(text, expires, cacheKey(m.client)), "}") + fmt.Sprintf(`,"now":%d}`, now)
	b := &running{at: m, checks: checks{cleared: m.clears}}
	w.now = now
	code := "token_mismatch"
	if k := &m.known; expires > now {
		code = ""
		requested, again := now, text == m.held(instance.TokenObject)
		if again {
			requested = min(k.from, now) // as long ago as it was
		}
		unknown := again && k.token == ""
		if k.obtained(text, requested, min(expires, now+day), min(expires-now, day), now, true); unknown {
			k.token = ""
		}
	}
	w.took(b, "set "+input, flow.SetToken(m, []byte(input)), code)
}

// rotate changes the secret of an instance.
func (w *world) rotate(m *member, to string) {
	w.now = w.clock(m)
	w.say("%d: secret %s", m.number, to)
	before := w.observe(m)
	toldNothing := m.told == 0 && m.refusedAt <= w.now // which is later if that is not known
	rejected := before.code == "token_endpoint_rejected" && toldNothing && to != m.Settings["client_secret"]
	m.Settings["client_secret"], m.lock = to, ""
	m.quiet = m.told // a Retry-After is for every secret
	if after := w.observe(m); rejected && after.retry != 0 {
		w.fail("the backoff of a rejected secret ends with it", "%+v", after)
	}
}
