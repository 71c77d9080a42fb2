package model

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
)

// Run runs a random sequence of actions on the core, determined by its seed.
func Run(seed uint64, length int) (steps int, finding *Finding) {
	r := rand.New(rand.NewPCG(seed, 2))
	p := newProfile(r)
	w := newWorld(p)
	g := &generator{Rand: r, w: w}
	var actions []action
	for range length {
		a := g.next()
		actions = append(actions, *a)
		if w.act(a); w.finding != nil {
			break
		}
	}
	if w.finding == nil {
		w.settle()
	}
	if f := w.finding; f != nil {
		f.profile, f.actions = p, actions
	}
	return w.steps, w.finding
}

// replay runs a sequence again, and returns what it finds.
func replay(p profile, actions []action, trace func(string)) *Finding {
	w := newWorld(p)
	w.trace = trace
	for n := range actions {
		if trace != nil {
			trace(actions[n].String())
		}
		if w.act(&actions[n]); w.finding != nil {
			return w.finding
		}
	}
	w.settle()
	return w.finding
}

// Shrink removes from a finding's actions whatever it does not need.
func (f *Finding) Shrink() {
	fails := func(actions []action) bool {
		found := replay(f.profile, actions, nil)
		return found != nil && found.Invariant == f.Invariant
	}
	if !fails(f.actions) {
		return // should not happen: a run is determined by its seed
	}
	for changed := true; changed; {
		changed = false
		for size := len(f.actions) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(f.actions); {
				fewer, later := without(f.actions, at, size)
				switch {
				case fails(fewer):
					f.actions, changed = fewer, true
				case later != nil && fails(later):
					f.actions, changed = later, true
				default:
					at += size
				}
			}
		}
		if f.simplify(fails) {
			changed = true
		}
	}
	if found := replay(f.profile, f.actions, nil); found != nil {
		f.Detail = found.Detail
	}
}

// Trace reports all that happens in a finding's sequence.
func (f *Finding) Trace(line func(string)) { replay(f.profile, f.actions, line) }

// without removes actions: in fewer together with the time that passes before them, in later
// without it.
func without(actions []action, at, size int) (fewer, later []action) {
	fewer = append(append(fewer, actions[:at]...), actions[at+size:]...)
	passed := int64(0)
	for _, a := range actions[at : at+size] {
		passed += a.pass
	}
	if passed > 0 && at < len(fewer) {
		later = append(later, fewer...)
		later[at].pass += passed
	}
	return fewer, later
}

// simplify makes single actions simpler.
func (f *Finding) simplify(fails func([]action) bool) (changed bool) {
	for n := range f.actions {
		for _, plainer := range []func(*action){
			func(a *action) { a.pass = 0 },
			func(a *action) { a.noNow = false },
			func(a *action) { a.result, a.raw = nil, "" },
			func(a *action) {
				if a.do == "begin" && a.name != "list_jobs" {
					a.name, a.more, a.text = "list_jobs", "", ""
				}
			},
			func(a *action) { a.text = "" },
			func(a *action) { a.accepts = max(a.accepts-1, 0); a.renews = a.renews && a.accepts > 0 },
			func(a *action) { a.renews = false },
		} {
			tried := append([]action(nil), f.actions...)
			if plainer(&tried[n]); tried[n] != f.actions[n] && fails(tried) {
				f.actions, changed = tried, true
			}
		}
	}
	return changed
}

// forge changes a member of a flow.
func forge(flow, member, value string) (string, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(flow), &members) != nil {
		return "", false
	}
	inner, isInner := strings.CutPrefix(member, "input.")
	if isInner {
		in := map[string]json.RawMessage{}
		if members["input"] != nil && json.Unmarshal(members["input"], &in) != nil {
			return "", false
		}
		set(in, inner, value)
		members["input"], _ = json.Marshal(in)
	} else {
		set(members, member, value)
	}
	forged, err := json.Marshal(members)
	return string(forged), err == nil
}

func set(members map[string]json.RawMessage, name, value string) {
	if value == "" {
		delete(members, name)
		return
	}
	members[name] = json.RawMessage(value)
}
