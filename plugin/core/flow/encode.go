package flow

import (
	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/instance"
	"automatic-rostering.example/rostering/plugin/core/json"
	"automatic-rostering.example/rostering/plugin/core/oauth2"
)

// The most that hashes, times and sums can be, and how often a flow waits at most: see maxLockWaits.
const (
	maxHash  = 1 << 48
	maxWaits = 64
)

// numbers returns the numbers of a flow, in the order in which its text has them.
func (p *progress) numbers() []int64 { return instance.Words(&p.client, &p.wait) }

// limits are the most that each number can be, from store on.
var limits = [...]int16{withStore, 1, 1, failed, int16(backoff.MaxCode), backoff.MaxStatus, busy, maxWaits, 1, longestLockWait}

// text returns the flow, which the host keeps between two steps: its state and its numbers, all
// of which are hashes, times and counts, and a checksum.
func (p *progress) text() string {
	var w json.Writer
	w.Int(int64(p.state))
	for _, n := range p.numbers() {
		w.Raw(" ")
		w.Int(n)
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
	numbers := p.numbers()
	store := len(numbers) - len(limits)
	for i := range numbers {
		most := int64(maxHash)
		if i >= store {
			most = int64(limits[i-store])
		}
		numbers[i] = next(most)
	}
	return p.text() == whole && p.state.returnsStep() && (p.asked != failed || p.failure.Code != 0)
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
	if f.settleBackoff() {
		f.save()
	}
	return nil
}
