package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// Begin implements the export begin: it begins a flow whose steps the host carries out.
func Begin(h host.Host, rawInput []byte) host.Result {
	in, err := input.Parse(rawInput, input.Begin)
	if err != nil {
		return host.Fail(err)
	}
	now := clock.Now(h, &in.Override)
	if now == 0 {
		return host.Fail(clock.Unusable(&in.Override))
	}
	f := New(h, now)
	f.Start(in)
	return f.result()
}

// Resume implements the export resume: it continues a flow with the result of its step.
func Resume(h host.Host, rawInput []byte) host.Result {
	r, err := input.ParseResume(rawInput)
	if err != nil {
		return host.Fail(err)
	}
	f := New(h, clock.Now(h, &r.Override))
	if err = f.restore(r); err != nil {
		return host.Fail(err)
	}
	if wrong := f.misfit(r.Given); wrong != "" {
		return host.Fail(apierror.Input(wrong, "the result does not fit the step; check "+wrong))
	}
	if f.state == Requesting {
		f.log(r.Status)
	}
	if f.clears != f.instance.Clears {
		f.restart(r)
	} else {
		f.run(f.take(r))
	}
	return f.result()
}

// take processes the result of the flow's step, and returns the state that follows.
func (f *Flow) take(r *input.Resume) State {
	if f.state.usesStore() && r.Given == "failed" {
		f.storeFailed(r.Failure)
	}
	switch f.state {
	case ReadingToken:
		f.tokenRead(r.Value)
	case TakingLock:
		switch {
		case r.Added:
			f.found, f.locked = tokenRead, f.mark
		case f.shares():
			f.found = held
		}
	case ReadingLock:
		f.lockRead(r)
	case Waiting:
		f.hasWaited()
	case Requesting:
		return f.responded(&r.Response.Response)
	case WritingLock:
		f.locked = 0
	}
	return Choosing
}

// hasWaited looks at the lock again. After a backoff, everything begins again.
func (f *Flow) hasWaited() {
	if f.found == busy {
		f.found = held
		return
	}
	f.asked, f.failure = notAsked, backoff.Failure{}
	if f.left() == 0 {
		f.found = nothing
	}
}

// restart begins the flow again after a clear_token, with the lock if it holds it.
func (f *Flow) restart(r *input.Resume) {
	switch {
	case r.Added:
		f.locked = f.mark
	case f.state == WritingLock:
		f.locked = 0
	}
	if f.store != noStore {
		f.store = withStore
	}
	f.state, f.clears = Choosing, f.instance.Clears
	clear(instance.Words(&f.asked, &f.wait))
	f.run(f.choose())
}

// results are the fields that have the results of the steps, except failed.
var results = [...]string{ReadingToken: "value", ReadingLock: "value", TakingLock: "added", Requesting: "status", WritingLock: ""}

// misfit returns the field that is missing from the result of the flow's step, or that does
// not belong there, or "".
func (f *Flow) misfit(given string) string {
	want := results[f.state]
	switch {
	case given == want || given == "failed" && f.state != Waiting:
		return ""
	case want == "":
		return "flow"
	}
	return want
}

// result encodes the step for the host, or returns the error with which the flow failed.
func (f *Flow) result() host.Result {
	var w json.Writer
	if f.Failed {
		return host.Result{Kind: host.Error, Text: f.Error()}
	}
	switch f.state {
	case Ended:
		w.Raw(`{"step":"done"`)
	case Requesting:
		w.Raw(`{"step":"request","timeout":20,"limit":65537,"request":`)
		w.Raw(string(f.Request.WithBody()))
	case Waiting:
		w.Raw(`{"step":"wait","seconds":`)
		w.Int(f.wait / 1000)
		w.Raw("." + ascii.Int(1000 + f.wait%1000)[1:])
	default:
		f.writeOperation(&w)
	}
	if f.Object != nil {
		w.Name("token")
		w.Raw(string(f.Object))
		w.Number("until", f.until())
	}
	if f.state != Ended {
		w.Name("flow")
		w.Text(f.text())
	}
	w.Raw("}")
	return host.Result{Text: w}
}

func (f *Flow) writeOperation(w *json.Writer) {
	name, key := f.state.operation(), f.key
	if f.state != ReadingToken && f.state != WritingToken {
		key = f.lockKey()
	}
	w.Raw(`{"step":"store","timeout":1,"op":"`)
	w.Raw(name)
	w.Raw(`","key":`)
	w.Text(key)
	if name != "get" {
		value, ttl := f.written()
		w.Name("value")
		w.Text(value)
		w.Number("ttl", ttl)
	}
}
