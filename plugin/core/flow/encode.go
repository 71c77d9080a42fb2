package flow

import (
	"strconv"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/json"
	"automatic-rostering/plugin/core/oauth2"
)

// bits48 is the largest hash, which every language's JSON numbers represent, and maxLooks more
// waits than a flow can make.
const (
	bits48   = 1<<48 - 1
	maxLooks = 100
)

// number is one of the numbers of a flow, with its maximum.
type number struct {
	name  string
	value *int64
	most  int64
}

// numbers lists the numbers of a flow. One that is 0 is omitted.
func (p *progress) numbers() []number {
	return []number{
		{"at", &p.at, clock.Latest}, {"clears", &p.clears, bits48},
		{"store", &p.store, storeFailed}, {"locked", &p.locked, 1},
		{"force", &p.force, 1}, {"refused", &p.refused, bits48},
		{"asked", &p.asked, failed}, {"code", &p.code, int64(len(codes) - 1)}, {"status", &p.status, 999},
		{"found", &p.found, held}, {"looks", &p.looks, maxLooks},
		{"free", &p.free, 1}, {"requesting", &p.requesting, 1}, {"trust", &p.trust, 1},
	}
}

// appendFlow appends the flow, which the host keeps between two steps. It contains no token,
// no secret, and nothing that is in the vars. A changed one can do no more than its caller
// could do with another flow.
func (p *progress) appendFlow(dst []byte) []byte {
	dst = append(append(dst, `{"state":"`...), p.state.String()...)
	dst = json.AppendString(append(dst, `","client":`...), p.key)
	for _, n := range p.numbers() {
		if *n.value != 0 {
			dst = append(append(dst, `,"`...), n.name...)
			dst = strconv.AppendInt(append(dst, `":`...), *n.value, 10)
		}
	}
	return append(dst, '}')
}

// restore reads the flow of its step.
func (f *Flow) restore(r *input.Resume) *apierror.Error {
	if !f.readFlow(r.Flow) || !f.possible() {
		return apierror.Input("flow", "not a flow that begin or resume returned; pass the last one unchanged")
	}
	if f.now == 0 && !r.HasNow {
		f.now = f.at
	}
	if !clock.Usable(f.now) {
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
	f.Request = oauth2.NewTokenRequest(&f.client) // for the log
	return nil
}

// readFlow reads a flow, and reports whether appendFlow can have written it.
func (p *progress) readFlow(flow json.Value) (ok bool) {
	flow.Each(func(name string, value json.Value) bool {
		switch name {
		case "state":
			for s, known := range stateNames {
				if known == value.Text() {
					p.state = State(s)
				}
			}
			ok = true
		case "client":
			p.key = value.Text()
			ok = true
		default:
			ok = p.setNumber(name, value)
		}
		return ok
	})
	return ok
}

func (p *progress) setNumber(name string, value json.Value) bool {
	for _, n := range p.numbers() {
		if n.name == name && value.Kind() == json.Number {
			parsed, negative, whole := value.Integer(n.most + 1)
			*n.value = parsed
			return whole && !negative && parsed <= n.most
		}
	}
	return false
}

// possible reports whether a flow in its state can have returned a step.
func (p *progress) possible() bool {
	failure := oauth2.Failure{Code: codes[p.code], Status: p.status}
	return p.state.returnsStep() &&
		(p.store == withStore || p.locked == 0 && !p.state.usesStore()) &&
		(p.code == 0 && p.status == 0 || failure.Valid())
}
