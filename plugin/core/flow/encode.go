package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/json"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

// number is one of a flow, and the most that it can be.
type number struct {
	at   *int64
	most int64
}

// The most that hashes and counts can be, and how often a flow waits at most: see maxLockWaits and maxPauses.
const (
	maxHash  = 1 << 48
	maxWaits = 64
)

// numbers lists the numbers of a flow, in the order in which its text has them.
func (p *progress) numbers() []number {
	return []number{
		{&p.client, maxHash}, {&p.at, clock.Latest}, {&p.clears, maxHash}, {&p.began, clock.Latest},
		{&p.mark, maxHash}, {&p.store, withStore}, {&p.locked, maxHash}, {&p.force, 1}, {&p.mayPause, 1},
		{&p.refused, maxHash}, {&p.asked, failed}, {&p.code, int64(len(codes) - 1)}, {&p.status, 999},
		{&p.found, busy}, {&p.looks, maxWaits}, {&p.free, 1}, {&p.wait, longestLockWait},
		{&p.waited, maxHash},
	}
}

// text returns the flow, which the host keeps between two steps: its state and its numbers, all
// of which are hashes, times and counts, and a checksum.
func (p *progress) text() string {
	var w json.Writer
	w.Int(int64(p.state))
	for _, n := range p.numbers() {
		w.Raw(" ")
		w.Int(*n.at)
	}
	checksum := instance.Hash(string(w))
	w.Raw(" ")
	w.Int(checksum)
	return string(w)
}

// read reads the flow, and reports whether it is one that begin or resume returned. A checksum can be forged:
// but no number is out of its range, and a flow that failed has a code.
func (p *progress) read(text string) bool {
	next := func(most int64) (n int64) {
		part, rest, _ := ascii.Cut(text, " ")
		n, _ = ascii.Digits(part, most)
		text = rest
		return n
	}
	whole := text
	p.state = State(next(int64(Ended)))
	for _, n := range p.numbers() {
		*n.at = next(n.most)
	}
	return p.text() == whole && p.state.returnsStep() && (p.asked != failed || p.code != 0)
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
