package call

import (
	"strconv"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/json"
	"automatic-rostering/plugin/core/oauth2"
)

const (
	bits32 = 1<<32 - 1
	bits48 = 1<<48 - 1
)

// numbers visits the numbers of a flow, with the maximum of each. One that is 0 is omitted.
func (p *progress) numbers(visit func(name string, n *int64, most int64)) {
	p.preparedNumbers(visit)
	visit("origin", &p.origin, isOld)
	visit("refused", &p.refused, bits48)
	visit("retries", &p.retries, mostRetries)
	visit("at", &p.at, clock.Latest)
	visit("own", &p.own, bits32)
	visit("awaited", &p.awaited, bits32)
	visit("waited", &p.waited, 2*maxCallWaits)
	visit("sharing", &p.sharing, without)
	visit("looks", &p.looks, 1<<10)
	visit("found_free", &p.foundFree, 1)
	visit("found_refused", &p.foundRefused, 1)
}

// preparedNumbers visits the numbers that the flow of a prepared request has.
func (p *progress) preparedNumbers(visit func(name string, n *int64, most int64)) {
	visit("accepts", &p.accepts, input.AcceptsStore)
	visit("of", &p.owner, bits32)
	visit("token", &p.inUse, bits48)
}

// appendFlow appends the flow, which the host keeps between two steps. It contains no token,
// no secret, and nothing that is in the config or the vars. A changed one can do no more than
// its caller could do with another call. The flow of a prepared request contains no time, and
// nothing of the call that prepares it.
func (c *Call) appendFlow(dst []byte, prepared bool) []byte {
	p := &c.progress
	p.at = c.now
	if p.state == UsingToken {
		p.at, p.own, p.awaited, p.foundFree, p.foundRefused = 0, 0, 0, 0, 0
		p.owner = int64(c.token.Owner)
	}
	dst = append(dst, `,"flow":{"call":"`...)
	dst = append(dst, c.export.String()...)
	dst = append(dst, `","state":"`...)
	dst = append(append(dst, p.state.String()...), '"')
	if p.rawInput != nil {
		dst = append(append(dst, `,"input":`...), p.rawInput...)
	}
	if p.failure != nil && p.state != UsingToken {
		dst = append(append(dst, `,"failure":`...), p.failure...)
	}
	visitAll := p.numbers
	if prepared {
		visitAll = p.preparedNumbers
	}
	visitAll(func(name string, n *int64, _ int64) {
		if *n != 0 {
			dst = append(append(dst, `,"`...), name...)
			dst = strconv.AppendInt(append(dst, `":`...), *n, 10)
		}
	})
	return append(dst, '}')
}

// sameClient reads the client, which must be that with which the call began.
func (c *Call) sameClient() *apierror.Error {
	err := c.readClient()
	if err != nil {
		return err
	}
	other := c.owner ^ c.ownerNow()
	c.outdated = other != 0
	if other>>epochBits != 0 {
		return apierror.Input("flow", "the config has changed; begin again")
	}
	return nil
}

// restore returns the call as it was when it returned its step.
func restore(host Host, r *input.Resume) (*Call, *apierror.Error) {
	c := New(host, 0)
	if !c.readFlow(r.Flow) {
		return nil, apierror.Input("flow", "not a flow that begin or resume returned; pass the last one unchanged")
	}
	c.inSteps = true
	if r.HasNow {
		c.in.Clock = r.Clock
	}
	if c.state == UsingToken && r.Status/100 == 2 {
		c.loadSummary() // after a 2xx the rest is rarely needed
	} else {
		c.load()
	}
	if c.state == UsingToken {
		return c, nil // the clock matters only after a 401
	}
	c.readClock()
	err := c.sameClient()
	if err == nil && c.now == 0 && c.export == input.GetToken {
		err = clockUnusable()
	}
	if err != nil {
		c.endPending()
		return nil, err
	}
	if c.state == RequestingToken {
		c.request = oauth2.NewTokenRequest(&c.client) // for the log
	}
	return c, nil
}

// readFlow reads a flow, and reports whether appendFlow can have written it.
func (c *Call) readFlow(flow json.Value) (ok bool) {
	name, stateName := "", ""
	flow.Each(func(member string, value json.Value) bool {
		ok = true
		switch member {
		case "call":
			name = value.Text()
		case "state":
			stateName = value.Text()
		case "input":
			c.rawInput = value
		case "failure":
			c.failure = value
			ok = oauth2.ReadFailure(c.failure).Code != ""
		default:
			ok = c.setNumber(member, value)
		}
		return ok
	})
	if !ok {
		return false
	}
	for s, known := range stateNames {
		if known == stateName {
			c.state = State(s)
		}
	}
	c.export, ok = input.ExportNamed(name)
	if !ok {
		return false
	}
	var err *apierror.Error
	c.in, err = input.Parse(c.rawInput, c.export, true)
	return err == nil && !c.in.HasNow && c.in.Refused == "" && c.possible()
}

func (p *progress) setNumber(member string, value json.Value) (ok bool) {
	p.numbers(func(name string, n *int64, most int64) {
		if name == member && value.Kind() == json.Number {
			number, negative, whole := value.Integer(most + 1)
			*n = number
			ok = whole && !negative && number <= most
		}
	})
	return ok
}

// possible reports whether a call in its state can have returned a step with this flow.
func (c *Call) possible() bool {
	switch {
	case !c.state.returnsStep() || c.owner == 0:
		return false
	case c.failure != nil && c.state != WritingToken && c.state != WritingLock:
		return false
	case c.state == UsingToken:
		return c.export != input.GetToken && c.inUse != 0
	case c.state == AwaitingCall:
		return c.accepts != input.AcceptsNothing
	case c.state == RequestingToken:
		return true
	}
	return !c.withoutStore()
}
