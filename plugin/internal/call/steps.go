package call

import (
	"strconv"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/internal/apierror"
	"automatic-rostering/plugin/internal/input"
	"automatic-rostering/plugin/internal/message"
)

// Begin is the export begin: it begins a call whose steps the host makes. The output is
// the contract's step, a JSON object.
func Begin(host Host, rawInput []byte) *Step {
	begin, err := input.ParseBegin(rawInput)
	if err != nil {
		return fail(err)
	}
	c := New(host, begin.Export)
	c.inSteps, c.accepts, c.rawInput = true, begin.Accepts, input.Keep(begin.Input)
	return c.handOut(c.Begin(begin.Input))
}

// Resume is the export resume: it goes on with a call where the result of its step is
// there.
func Resume(host Host, rawInput []byte) *Step {
	r, err := input.ParseResume(rawInput)
	if err != nil {
		return fail(err)
	}
	c, err := restore(host, &r)
	if err != nil {
		return fail(err)
	}
	on, err := c.take(&r)
	if err != nil {
		return fail(err)
	}
	return c.handOut(c.run(on))
}

// take returns the event that the result of the step at hand is.
func (c *Call) take(r *input.Resume) (Event, *apierror.Error) {
	if wrong := c.misfit(r.Given); wrong != "" {
		return 0, apierror.Input(wrong, "the result does not fit the step; hand in "+wrong+", as docs/contract.md says of steps")
	}
	switch c.state {
	case AwaitingCall, AwaitingLock, AwaitingToken:
		return waited, nil
	case RequestingToken:
		return c.tokenAnswered(c.answer(r)), nil
	case UsingCached, UsingTaken, UsingNew, UsingOld:
		return c.serviceAnswered(c.answer(r)), nil
	}
	return c.storeAnswered(r), nil
}

// misfit names what is missing, or too much, in the result of the step at hand.
func (c *Call) misfit(given input.Given) string {
	switch c.state {
	case AwaitingCall, AwaitingLock, AwaitingToken:
		if given != 0 {
			return "flow"
		}
	case ReadingToken, ReadingLock:
		if given != input.GivenValue && given != input.GivenFailed {
			return "value"
		}
	case TakingLock:
		if given != input.GivenAdded && given != input.GivenFailed {
			return "added"
		}
	case WritingToken, WritingDone, WritingFailure, WritingRejection:
		if given != 0 && given != input.GivenFailed {
			return "flow"
		}
	default:
		if given&(input.GivenStatus|input.GivenFailed) == 0 {
			return "status"
		}
	}
	return ""
}

// maxBody is how much of an answer of the service a host need hand in.
const maxBody = 64 << 10

// answer is that of a request. Where the tokens of the call are not known any more,
// nothing of what others sent can be shown.
func (c *Call) answer(r *input.Resume) *message.Answer {
	a := &message.Answer{Status: r.Status, Reason: r.Failed, RetryAfter: r.RetryAfter}
	if c.state.using() && (r.Given&input.GivenBody == 0 || !c.knowsTokens()) {
		return a
	}
	a.Size = len(r.Body)
	a.Load = func(most int) []byte { return []byte(r.Body[:min(most, len(r.Body))]) }
	if c.state.using() && a.Size > maxBody {
		a.Size++ // there may be more, in which a secret ends that begins here
	}
	return a
}

// handOut puts a step into words for the host, with the flow if it goes on.
func (c *Call) handOut(step *Step) *Step {
	var text []byte
	switch step.Kind {
	case Fail, GiveHeld:
		return step
	case Send:
		text = c.appendRequest(nil, c.state.using() && c.accepts != input.AcceptsNothing && c.changesNothing())
	case Wait:
		text = appendSeconds([]byte(`{"step":"wait","seconds":`), step.Pause)
		text = append(c.appendFlow(text), '}')
	case Store:
		text = append(appendOp(c.appendFlow([]byte(`{"step":"store"`)), &step.Op), '}')
	case Give:
		text = appendDone(step.Output)
	default:
		text = []byte(`{"step":"done"} `) // in words of eight bytes, without a tail
	}
	step.Kind, step.Output = Give, text
	return step
}

func appendDone(output []byte) []byte {
	return append(append([]byte(`{"step":"done","output":`), output...), '}')
}

func (c *Call) appendRequest(text []byte, last bool) []byte {
	text = append(text, `{"step":"request","for":"`...)
	if c.state.using() {
		text = append(text, `service"`...)
	} else {
		text = append(text, `token"`...)
	}
	if last {
		text = append(text, `,"last":true`...)
	}
	text = c.appendFlow(text)
	text = c.request.AppendWithBody(append(text, `,"request":`...))
	return append(text, '}')
}

// warmStep is the step that begin hands out while the token of the request under way is
// the cached one. There is no time in it.
func (c *Call) warmStep() []byte {
	now, progress := c.now, c.progress
	c.now, c.state, c.refused, c.sharing = 0, UsingCached, 0, shares
	text := c.appendRequest(nil, c.accepts != input.AcceptsNothing)
	c.now, c.progress = now, progress
	return text
}

func appendSeconds(dst []byte, milliseconds int64) []byte {
	dst = strconv.AppendInt(dst, milliseconds/1000, 10)
	rest := strconv.Itoa(int(1000 + milliseconds%1000))
	return append(append(dst, '.'), rest[1:]...)
}

func appendOp(dst []byte, op *Op) []byte {
	dst = append(dst, `,"op":"`...)
	dst = append(dst, op.Name...)
	dst = gjson.AppendJSONString(append(dst, `","key":`...), op.Key)
	if op.Value == "" {
		return dst
	}
	dst = gjson.AppendJSONString(append(dst, `,"value":`...), op.Value)
	return strconv.AppendInt(append(dst, `,"ttl":`...), op.TTL, 10)
}
