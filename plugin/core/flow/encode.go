package flow

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/instance"
	"automatic-rostering/plugin/core/json"
	"automatic-rostering/plugin/core/oauth2"
)

// numbers lists the numbers of a flow, in the order in which its text has them.
func (p *progress) numbers() []*int64 {
	return []*int64{&p.client, &p.at, &p.clears, &p.began, &p.mark, &p.store, &p.locked, &p.force, &p.mayPause,
		&p.refused, &p.asked, &p.code, &p.status, &p.found, &p.looks, &p.free, &p.wait, &p.waited}
}

// text returns the flow, which the host keeps between two steps: its state and its numbers, all
// of which are hashes, times and counts, and a checksum.
func (p *progress) text() string {
	var w json.Writer
	w.Int(int64(p.state))
	for _, n := range p.numbers() {
		w.Raw(" ")
		w.Int(*n)
	}
	checksum := instance.Hash(string(w))
	w.Raw(" ")
	w.Int(checksum)
	return string(w)
}

// read reads the flow, and reports whether it is unchanged.
func (p *progress) read(text string) bool {
	next := func() (n int64) {
		part, rest, _ := ascii.Cut(text, " ")
		n, _ = ascii.Digits(part, 1<<48)
		text = rest
		return n
	}
	whole := text
	p.state = State(next())
	for _, n := range p.numbers() {
		*n = next()
	}
	return p.text() == whole && p.state.returnsStep()
}

// restore reads the flow of its step.
func (f *Flow) restore(r *input.Resume) *apierror.Error {
	if !f.read(r.Flow) {
		return apierror.Input("flow", "not a flow that begin or resume returned; pass the last one unchanged")
	}
	if f.now == 0 && !r.HasNow {
		f.now = f.at
	}
	if !clock.Usable(f.now) {
		return clock.Unusable(&r.Override)
	}
	began := f.client
	if err := f.readClient(); err != nil {
		return err
	}
	if f.client != began {
		return apierror.Input("flow", "the config has changed; begin again")
	}
	f.Request = oauth2.NewTokenRequest(f.config) // for the log
	f.settleBackoff()
	return nil
}
