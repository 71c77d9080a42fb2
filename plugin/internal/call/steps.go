package call

import (
	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/message"
)

// Begin is the export begin: it begins a call whose requests the host sends itself. Its
// step is done: the output is the contract's step, a JSON object.
func Begin(host Host, rawInput []byte) Step {
	begin, err := input.ParseBegin(rawInput)
	if err != nil {
		return fail(err)
	}
	f := New(host, begin.Export)
	f.handsOut, f.rawInput = true, begin.Input
	return f.handOut(f.Begin(begin.Input))
}

// Resume is the export resume: it goes on with a call where the answer to its request
// is there.
func Resume(host Host, rawInput []byte) Step {
	r, err := input.ParseResume(rawInput)
	if err != nil {
		return fail(err)
	}
	if r.Given&(input.GivenStatus|input.GivenFailed) == 0 {
		return fail(apierror.Input("status", "hand in the answer's status, headers and body; or failed, with the reason, if there is no answer"))
	}
	f, err := restore(host, &r)
	if err != nil {
		return fail(err)
	}
	a := &message.Answer{Status: r.Status, Reason: r.Failed, RetryAfter: r.RetryAfter}
	if f.marks.has(awaiting) { // the service's body stays with the host
		a.Size = len(r.Body)
		a.Load = func(most int) []byte { return []byte(r.Body[:min(most, len(r.Body))]) }
	}
	return f.handOut(f.Resume(a))
}

// handOut puts a step into words for the host, with the flow if it goes on.
func (f *Flow) handOut(step Step) Step {
	text := []byte(`{"step":"done"`)
	switch step.Kind {
	case Fail:
		return step
	case Send:
		text = f.appendRequest(step.Request.AppendWhole(nil))
	case SendHeld:
		text = f.appendRequest(f.host.Held())
	case Give:
		text = append(append(text, `,"output":`...), step.Output...)
	case GiveHeld:
		text = append(append(text, `,"output":`...), f.host.Held()...)
	}
	return Step{Kind: Give, Output: append(text, '}')}
}

func (f *Flow) appendRequest(request []byte) []byte {
	text := f.appendState([]byte(`{"step":"request","flow":`))
	text = append(text, `,"request":`...)
	return append(text, request...)
}
