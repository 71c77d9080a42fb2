package call

import (
	"strconv"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/clock"
	"automatic-rostering/plugin/internal/config"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/json"
	"automatic-rostering/plugin/internal/oauth2"
)

// The numbers of a flow, by name, and the largest that each can be. One that is 0 is left
// out.
var flowNumbers = [...]struct {
	name string
	most int64
}{
	{"accepts", int64(input.AcceptsStore)},
	{"owner", 1<<32 - 1},
	{"token", 1<<32 - 1},
	{"at", clock.Latest},
	{"refused", 1<<53 - 1},
	{"note", 1<<32 - 1},
	{"waits", 1 << 10},
	{"sharing", int64(without)},
	{"found_free", 1},
}

func (p *progress) numbers() [len(flowNumbers)]int64 {
	n := [len(flowNumbers)]int64{
		int64(p.accepts), int64(p.owner), int64(p.inUse), p.at, int64(p.refused), int64(p.note), int64(p.waits), int64(p.sharing), 0,
	}
	if p.foundFree {
		n[8] = 1
	}
	return n
}

func (p *progress) setNumbers(n [len(flowNumbers)]int64) {
	p.accepts, p.owner, p.inUse, p.at = input.Accepts(n[0]), uint32(n[1]), uint32(n[2]), n[3]
	p.refused, p.note, p.waits, p.sharing, p.foundFree = uint64(n[4]), uint32(n[5]), int(n[6]), sharing(n[7]), n[8] == 1
}

// appendFlow appends the flow as the host keeps it between two steps: no token and no
// secret, and nothing that config or the vars say. A changed one can do no more than
// its caller can do with another call.
func (c *Call) appendFlow(dst []byte) []byte {
	p := &c.progress
	if p.state != RequestingToken {
		p.at = c.now
	}
	if p.state.using() {
		p.note, p.waits, p.foundFree, p.owner = 0, 0, false, c.token.Owner
	} else {
		p.inUse = 0
	}
	dst = append(dst, `,"flow":{"call":"`...)
	dst = append(dst, c.export.String()...)
	dst = append(dst, `","state":"`...)
	dst = append(append(dst, p.state.String()...), '"')
	if p.rawInput != nil {
		dst = append(append(dst, `,"input":`...), p.rawInput...)
	}
	for i, n := range p.numbers() {
		if n != 0 {
			dst = append(append(dst, `,"`...), flowNumbers[i].name...)
			dst = strconv.AppendInt(append(dst, `":`...), n, 10)
		}
	}
	return append(dst, '}')
}

func staleFlow() *apierror.Error {
	return apierror.Input("flow", "the call began before clear_token, or with another config; begin it again")
}

// restore returns the call as it was when it handed out its step.
func restore(host Host, r *input.Resume) (*Call, *apierror.Error) {
	c := New(host, 0)
	if !c.readFlow(r.Flow) {
		return nil, apierror.Input("flow", "not a flow that begin or resume returned; hand back the last one unchanged")
	}
	c.inSteps = true
	if r.HasNow {
		c.in.Clock = r.Clock
	}
	if c.state.using() && r.Status/100 == 2 {
		c.glance() // of a 2xx the token is seldom of interest
	} else {
		c.load()
	}
	if c.state.using() {
		return c, nil // the clock matters after a 401 alone
	}
	c.readClock()
	if err := c.readClient(); err != nil {
		return nil, err
	}
	if c.owner != c.ownerNow() || c.now == 0 && c.export == input.GetToken {
		return nil, staleFlow()
	}
	if c.state == RequestingToken {
		c.request = oauth2.NewTokenRequest(&c.client) // for the log
	}
	return c, nil
}

// readFlow reads what appendFlow wrote, and reports whether it is that.
func (c *Call) readFlow(flow json.Value) (ok bool) {
	name, stateName := "", ""
	var numbers [len(flowNumbers)]int64
	flow.Each(func(member string, value json.Value) bool {
		ok = true
		switch member {
		case "call":
			name = value.Text()
		case "state":
			stateName = value.Text()
		case "input":
			c.rawInput = value
		default:
			ok = setNumber(&numbers, member, value)
		}
		return ok
	})
	if !ok {
		return false
	}
	c.setNumbers(numbers)
	for s, known := range stateNames {
		if known == stateName {
			c.state = State(s)
		}
	}
	var err *apierror.Error
	if c.export, ok = input.ExportNamed(name); ok {
		c.in, err = input.Parse(c.rawInput, c.export, true)
	}
	return ok && err == nil && c.possible()
}

func setNumber(numbers *[len(flowNumbers)]int64, name string, value json.Value) bool {
	for i, known := range flowNumbers {
		if known.name == name && value.Kind() == json.Number {
			n, negative, whole := value.Integer(known.most + 1)
			numbers[i] = n
			return whole && n <= known.most && (!negative || n == 0)
		}
	}
	return false
}

// possible reports whether a call can hand out a step in its state.
func (c *Call) possible() bool {
	switch {
	case !c.state.handsOut():
		return false
	case c.state.using():
		return c.export != input.GetToken
	case c.state == AwaitingCall:
		return c.accepts != input.AcceptsNothing
	case c.state == RequestingToken:
		return true
	}
	return !c.alone()
}

// ownerOf names a client and the time between two clear_tokens, so that a token that was
// requested in it is not taken for another's.
func ownerOf(client *config.Client, epoch uint32) uint32 {
	return uint32(hash(oauth2.CacheKey(client))>>8) ^ epoch*0x9e3779b1 | 1
}

func (c *Call) ownerNow() uint32 { return ownerOf(&c.client, c.token.Epoch) }

// hash is FNV-1a of 64 bits, cut to the 53 that a JSON number holds in every language; 0
// for no text alone.
func hash(text string) uint64 {
	if text == "" {
		return 0
	}
	h := uint64(14695981039346656037)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h>>11 | 1
}
