package flow

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/json"
	"automatic-rostering/plugin/core/oauth2"
)

// limits are the largest values of the numbers of a flow: see numbers.
var limits = [...]int64{input.Latest, 1<<48 - 1, storeFailed, 1, 1, 1<<48 - 1, failed, int64(len(codes) - 1), 999, held, maxLooks, 1, 1, 1}

// maxLooks is more waits than a flow can make.
const maxLooks = 100

// numbers lists the numbers of a flow, in the order in which it has them.
func (p *progress) numbers() []*int64 {
	return []*int64{&p.at, &p.clears, &p.store, &p.locked, &p.force, &p.refused, &p.asked, &p.code, &p.status,
		&p.found, &p.looks, &p.free, &p.requesting, &p.trust}
}

// appendFlow appends the flow, which the host keeps between two steps. It contains no token,
// no secret, and nothing that is in the vars. A changed one can do no more than its caller
// could do with another flow.
func (p *progress) appendFlow(dst []byte) []byte {
	dst = append(append(dst, `{"state":"`...), p.state.String()...)
	dst = json.AppendString(append(dst, `","client":`...), p.key)
	dst = append(dst, `,"progress":"`...)
	for _, n := range p.numbers() {
		dst = append(ascii.AppendInt(dst, *n), ' ')
	}
	return append(dst, `"}`...)
}

// restore reads the flow of its step.
func (f *Flow) restore(r *input.Resume) *apierror.Error {
	if !f.readFlow(r.Flow) {
		return apierror.Input("flow", "not a flow that begin or resume returned; pass the last one unchanged")
	}
	if f.now == 0 && !r.HasNow {
		f.now = f.at
	}
	if !input.Usable(f.now) {
		return ClockUnusable()
	}
	began := f.key
	f.key = ""
	if err := f.readClient(); err != nil {
		return err
	}
	if f.key != began {
		return apierror.Input("flow", "the config has changed; begin again")
	}
	f.Request = oauth2.NewTokenRequest(f.client) // for the log
	return nil
}

// readFlow reads a flow, and reports whether appendFlow can have written it.
func (p *progress) readFlow(flow json.Value) bool {
	p.key = flow.Get("client").Text()
	state := flow.Get("state").Text()
	for s, name := range stateNames {
		if name == state {
			p.state = State(s)
		}
	}
	return p.readNumbers(flow.Get("progress").Text()) && p.possible()
}

func (p *progress) readNumbers(text string) bool {
	for i, n := range p.numbers() {
		part, rest, _ := ascii.Cut(text, " ")
		read, ok := ascii.Digits(part, limits[i]+1)
		if !ok || read > limits[i] {
			return false
		}
		*n, text = read, rest
	}
	return text == ""
}

// possible reports whether a flow in its state can have returned a step.
func (p *progress) possible() bool {
	failure := oauth2.Failure{Code: codes[p.code], Status: p.status}
	return p.state.returnsStep() &&
		(p.store == withStore || p.locked == 0 && !p.state.usesStore()) &&
		(p.code == 0 && p.status == 0 || failure.Valid())
}
