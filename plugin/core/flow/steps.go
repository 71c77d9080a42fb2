package flow

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/json"
)

// Begin implements the export begin: it begins a flow whose steps the host carries out.
func Begin(h host.Host, rawInput []byte) host.Result {
	in, err := input.Parse(rawInput, input.Begin)
	if err != nil {
		return host.Fail(err)
	}
	now := Now(h, &in.Clock)
	if now == 0 {
		return host.Fail(ClockUnusable())
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
	f := New(h, Now(h, &r.Clock))
	if err = f.restore(r); err != nil {
		return host.Fail(err)
	}
	if wrong := f.misfit(r.Given); wrong != "" {
		return host.Fail(apierror.Input(wrong, "the result does not fit the step; check "+wrong))
	}
	if f.state == Requesting {
		f.log(r.Status)
	}
	if f.clears != f.vars.Clears {
		f.beginAnew(r)
	} else {
		f.run(f.take(r))
	}
	return f.result()
}

// take processes the result of the flow's step, and returns the event that follows.
func (f *Flow) take(r *input.Resume) Event {
	if f.state.usesStore() && r.Given == input.GivenFailed {
		f.storeFailed(r.Failed)
	}
	switch f.state {
	case ReadingToken:
		f.tokenRead(r.Value)
		return read
	case TakingLock:
		switch {
		case r.Added:
			f.found, f.locked = tokenRead, 1
		case f.store == withStore:
			f.found = held
		}
		return tried
	case ReadingLock:
		return f.lockRead(r)
	case AwaitingLock:
		return waited
	case Requesting:
		return f.responded(r.Message())
	case WritingLock:
		f.locked = 0
	}
	return written
}

// beginAnew begins the flow again after a clear_token, with the lock if it holds it.
func (f *Flow) beginAnew(r *input.Resume) {
	locked := f.locked != 0 && f.state != WritingLock || r.Added
	f.progress = progress{key: f.key, clears: f.vars.Clears, store: min(f.store, withStore), force: f.force, refused: f.refused}
	if locked {
		f.locked = 1
	}
	f.run(f.choose())
}

// misfit returns the field that is missing from the result of the flow's step, or that does
// not belong there, or "".
func (f *Flow) misfit(given input.Given) string {
	const optional = input.GivenFailed
	switch f.state {
	case AwaitingLock:
		if given != 0 {
			return "flow"
		}
	case ReadingToken, ReadingLock:
		if given != input.GivenValue && given != optional {
			return "value"
		}
	case TakingLock:
		if given != input.GivenAdded && given != optional {
			return "added"
		}
	case WritingToken, WritingLock:
		if given != 0 && given != optional {
			return "flow"
		}
	default:
		if given&(input.GivenStatus|optional) == 0 {
			return "status"
		}
	}
	return ""
}

// result encodes the step for the host, or returns the error with which the flow failed.
func (f *Flow) result() host.Result {
	var text []byte
	switch f.state {
	case Failed:
		return host.Result{Kind: host.Error, Text: f.Error()}
	case Done:
		text = append(text, `{"step":"done"`...)
	case Requesting:
		text = append(append(text, `{"step":"request","timeout":20,"limit":262145,"request":`...), f.Request.WithBody()...)
	case AwaitingLock:
		wait, _ := lockWait(f.looks)
		f.looks++
		text = appendSeconds([]byte(`{"step":"wait","seconds":`), wait)
	default:
		text = f.appendOperation([]byte(`{"step":"store","timeout":1,"op":"`))
	}
	if f.Object != nil {
		text = append(append(text, `,"token":`...), f.Object...)
		text = ascii.AppendInt(append(text, `,"until":`...), f.until())
	}
	if f.state != Done {
		text = f.appendFlow(append(text, `,"flow":`...))
	}
	return host.Result{Text: append(text, '}')}
}

func (f *Flow) appendOperation(text []byte) []byte {
	o := f.operation()
	text = append(append(text, o.name...), `","key":`...)
	text = json.AppendString(text, o.key)
	if o.value != "" {
		text = json.AppendString(append(text, `,"value":`...), o.value)
		text = ascii.AppendInt(append(text, `,"ttl":`...), o.ttl)
	}
	return text
}

func appendSeconds(text []byte, milliseconds int64) []byte {
	text = ascii.AppendInt(text, milliseconds/1000)
	rest := ascii.Int(1000 + milliseconds%1000)
	return append(append(text, '.'), rest[1:]...)
}
